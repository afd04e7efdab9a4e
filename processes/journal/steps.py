"""Steps as they are kept: bounded, keyed, a success once and for all (S0:27-33)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from processes.journal import limits
from processes.journal.commands import AppendStep
from processes.journal.record import ProcessStep


@dataclass(frozen=True, slots=True)
class Kept:
    """What of a step is kept within its bounds, and what the bounds cost it (contract A25,
    A27).
    """

    result_digest: str
    artifacts: tuple[str, ...]
    digest_clipped: bool
    artifacts_dropped: int


def keep(command: AppendStep) -> Kept:
    """Clip the digest to 2,000 characters (code points) and the artifacts to the first 32."""
    digest, artifacts = command.result_digest, command.artifacts
    return Kept(
        digest[: limits.DIGEST_CHARS],
        artifacts[: limits.ARTIFACTS_PER_STEP],
        len(digest) > limits.DIGEST_CHARS,
        max(0, len(artifacts) - limits.ARTIFACTS_PER_STEP),
    )


def is_replay(command: AppendStep, success: bool, key: str) -> bool:
    """A recorded success ends the matter: whatever comes with its key is skipped (A11, A15)."""
    return success and key == command.key


def is_success_repeated(steps: Iterable[ProcessStep]) -> bool:
    """Two successes with one key: no journal of ours or of DAL holds that."""
    keys = [step.idempotency_key for step in steps if step.success]
    return len(set(keys)) < len(keys)
