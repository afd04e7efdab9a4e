"""Steps as they are kept: bounded, keyed, a success once and for all (S0:27-33)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from processes.journal import limits
from processes.journal.commands import AppendStep
from processes.journal.errors import AttemptConflict
from processes.journal.record import ProcessStep


@dataclass(frozen=True, slots=True)
class Kept:
    """A step within its bounds, and what the bounds cost it (contract A25, A27)."""

    step: ProcessStep
    digest_clipped: bool
    artifacts_dropped: int


def keep(command: AppendStep) -> Kept:
    """Clip the digest to 2,000 characters (code points) and the artifacts to the first 32."""
    digest, artifacts = command.result_digest, command.artifacts
    step = ProcessStep.model_construct(
        tool=command.tool,
        args=command.args,
        success=command.success,
        result_digest=digest[: limits.DIGEST_CHARS],
        artifacts=artifacts[: limits.ARTIFACTS_PER_STEP],
        idempotency_key=command.key,
    )
    dropped = max(0, len(artifacts) - limits.ARTIFACTS_PER_STEP)
    return Kept(step, len(digest) > limits.DIGEST_CHARS, dropped)


def is_replay(command: AppendStep, recorded: ProcessStep) -> bool:
    """A recorded success ends the matter: whatever comes with its key is skipped (A11, A15)."""
    return recorded.success and recorded.idempotency_key == command.key


def check_attempt(command: AppendStep, recorded: ProcessStep) -> None:
    """An attempt id names one step for ever; the same id with another payload is refused."""
    if keep(command).step != recorded:
        raise AttemptConflict(pointer="/attempt_id")


def is_success_repeated(steps: Iterable[ProcessStep]) -> bool:
    """Two successes with one key: no journal of ours or of DAL holds that."""
    keys = [step.idempotency_key for step in steps if step.success]
    return len(set(keys)) < len(keys)
