"""The cycles of one sleeper, read from its log: wake, admit, run, flush, commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from processes.services import beside
from processes.services.attempts import OpenAttempt, open_attempts
from processes.shown import times

LENGTH = 30
_KINDS = (
    "sleep", "claim", "commit", "back", "interrupted", "spent", "drop", "finish", "step",
    "suspend", "resume",
)  # fmt: skip
_WORK = {"step", "suspend", "resume", "finish"}


@dataclass(slots=True)
class Cycle:
    """One claim and what came of it. Times are Unix ms; None is a stage not reached."""

    epoch: int
    owner: str
    kind: str  # what woke it
    woken_ms: int
    admitted_ms: int
    run_ms: int | None = None
    flushed_ms: int | None = None
    ended_ms: int | None = None
    end: str = ""
    is_rebuilt: bool = False
    steps: int = field(default=0)

    @property
    def took(self) -> str:
        return "" if self.ended_ms is None else times.short(self.ended_ms - self.admitted_ms)


def cycles(process_id: str) -> list[Cycle]:
    """The newest first. What came before them is not read, however long the log is."""
    since = beside.seq_of_last(process_id, "claim", LENGTH)
    return list(reversed(told(beside.events(process_id, _KINDS, since))))


def may_have_run(process_id: str) -> list[OpenAttempt]:
    """Calls that were begun and never recorded, but for those that may run twice."""
    return [one for one in open_attempts(process_id) if one.effect != "idempotent"]


def told(events: Iterable[tuple[int, str, dict[str, Any], int]]) -> list[Cycle]:
    """The cycles of a log, oldest first."""
    found: list[Cycle] = []
    here: Cycle | None = None
    for _, kind, data, at_ms in events:
        if kind == "claim":
            here = _claimed(data, at_ms)
            found.append(here)
        elif here is not None:
            here = _went_on(here, kind, at_ms)
    return found


def _claimed(data: dict[str, Any], at_ms: int) -> Cycle:
    by = data["woken_by"]
    rebuilt = "descriptor" in data
    return Cycle(
        data["epoch"], data["owner"], by["kind"], by["at_ms"], at_ms, is_rebuilt=rebuilt
    )


def _went_on(here: Cycle, kind: str, at_ms: int) -> Cycle | None:
    if kind in _WORK:
        here.run_ms = here.run_ms or at_ms
        here.flushed_ms = at_ms
        here.steps += kind == "step"
    if kind not in _ENDS:
        return here
    here.ended_ms = None if kind == "interrupted" else at_ms
    here.end = _ENDS[kind]
    return None


_ENDS = {
    "sleep": "committed",
    "commit": "committed",
    "back": "given back",
    "interrupted": "interrupted",
    "spent": "budget used up",
    "drop": "forgotten",
    "finish": "ended",
}
