"""The facts beside a process, a word and its value each."""

from __future__ import annotations

from dataclasses import dataclass

from processes.models import Artifact, Process
from processes.models.process import FILES

ARTIFACTS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """`fields` are plain; `artifacts` are the newest of `artifact_count`."""

    fields: list[tuple[str, str]]
    artifacts: list[str]
    artifact_count: int


def facts(process: Process) -> Facts:
    rows = Artifact.objects.filter(process_id=process.id)
    paths = list(rows.order_by("-at_ms", "-id").values_list("path", flat=True))
    return Facts(fields_of(process), paths[:ARTIFACTS_SHOWN], len(paths))


def fields_of(process: Process) -> list[tuple[str, str]]:
    """Those of the process that say something."""
    named = [
        ("Agent", process.agent),
        ("Owned by", "files" if process.origin == FILES else ""),
        ("Cycle", ", ".join(filter(None, (process.cycle_id, process.cycle_phase)))),
        ("Objective id", process.objective_id),
        ("Class", process.objective_class),
        ("Due", process.objective_due_bucket),
        ("Steps", _steps(process)),
        ("Replays skipped", str(process.skipped or "")),
        ("Older turns dropped", str(process.turns_dropped or "")),
        ("Held by", process.lease_owner),
    ]
    return [(name, value) for name, value in named if value]


def _steps(process: Process) -> str:
    """A record from elsewhere may have used more than it brought."""
    if process.steps_used == process.stored_steps:
        return str(process.steps_used)
    return f"{process.steps_used}, {process.stored_steps} of them here"
