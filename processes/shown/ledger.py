"""What a process did, newest first: its steps, and between them what was asked and decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from processes.models import Artifact, Decision, Process, Step, Suspension, Turn
from processes.models.process import FILES
from processes.shown import reasons, times
from processes.shown.words import DID, said_by

LENGTH = 50
MOST_BETWEEN = 300  # suspensions and turns of one page
LONG_PAUSE = times.HOUR
EFFECTS = {
    "at_most_once": "at most once: never run again by itself",
    "at_least_once": "at least once: a crash may run it again",
    "idempotent": "idempotent: running it again changes nothing",
}


@dataclass(slots=True)
class Entry:
    """One line. `kind` is step, asked, said or pause; `place` is the step it stands after."""

    kind: str
    place: int
    at_ms: int
    step: Step | None = None
    artifacts: list[tuple[str, bool]] = field(default_factory=list)
    tries: list[int] = field(default_factory=list)
    label: str = ""
    text: str = ""
    mine: bool = False
    pause: str = ""

    @property
    def effect(self) -> str:
        return EFFECTS[self.step.effect] if self.step else ""

    @property
    def order(self) -> tuple[int, bool, int]:
        return self.place, self.kind != "step", self.at_ms


@dataclass(frozen=True, slots=True)
class Ledger:
    """One page of it; `older` is the step before which the next page begins."""

    entries: list[Entry]
    older: int | None
    is_newest: bool


def ledger(process: Process, reader: str, before: int | None = None) -> Ledger:
    """50 steps and what lies between them. Reads that page and nothing else (contract M04)."""
    steps = list(_steps(process.id, before)[: LENGTH + 1])
    has_older, steps = len(steps) > LENGTH, steps[:LENGTH]
    low = steps[-1].seq if steps and has_older else 0
    between = {"after_step__gte": low} | ({"after_step__lt": before} if before else {})
    entries = [
        *_step_entries(process.id, steps),
        *_stop_entries(process, between, reader),
        *_turn_entries(process.id, between),
    ]
    entries.sort(key=lambda entry: entry.order, reverse=True)
    return Ledger(_paused(entries), low if has_older else None, before is None)


def _steps(process_id: str, before: int | None) -> Any:
    rows = Step.objects.of(process_id).newest_first()
    return rows.filter(seq__lt=before) if before else rows


def _step_entries(process_id: str, steps: list[Step]) -> Iterator[Entry]:
    kept = _kept(process_id, steps)
    for step in steps:
        tries = [one.seq for one in steps if one is not step and _is_same_call(one, step)]
        artifacts = [(path, path in kept) for path in step.artifacts]
        yield Entry("step", step.seq, step.at_ms, step, artifacts, tries)


def _is_same_call(one: Step, other: Step) -> bool:
    return one.idempotency_key == other.idempotency_key


def _kept(process_id: str, steps: Iterable[Step]) -> set[str]:
    """The named artifacts whose bytes are here."""
    paths = {path for step in steps for path in step.artifacts}
    if not paths:
        return set()
    rows = Artifact.objects.filter(process_id=process_id, path__in=paths)
    return set(rows.values_list("path", flat=True))


def _stop_entries(process: Process, between: dict[str, int], reader: str) -> Iterator[Entry]:
    stops = Suspension.objects.of(process.id).filter(**between).newest_first()[:MOST_BETWEEN]
    places = {stop.id: stop for stop in stops}
    for stop in places.values():
        label = (
            "Asked" if stop.reason == "ask_user" else f"Stopped: {reasons.name(stop.reason)}"
        )
        text = stop.question or stop.detail or ""
        yield Entry("asked", stop.after_step, stop.opened_at_ms, label=label, text=text)
    for decision in Decision.objects.filter(suspension_id__in=places):
        place = places[decision.suspension_id].after_step
        yield from _decision_entries(decision, place, reader, process.origin == FILES)


def _decision_entries(
    decision: Decision, place: int, reader: str, of_files: bool
) -> Iterator[Entry]:
    who = said_by(decision.by, reader)
    text = decision.answer or decision.note or decision.args or ""
    label = f"{who} {DID[decision.action]}"
    yield Entry("said", place, decision.at_ms, label=label, text=text, mine=who == "You")
    if decision.taken_back_at_ms is not None:
        label = f"{who} took it back"
        if of_files:
            label, who = "Not written: its file had changed", ""
        yield Entry("said", place, decision.taken_back_at_ms, label=label, mine=who == "You")


def _turn_entries(process_id: str, between: dict[str, int]) -> Iterator[Entry]:
    """Turns that came with an imported record, and so belong to no suspension of ours."""
    rows = Turn.objects.filter(process_id=process_id, suspension_id=None, **between)
    for turn in rows.order_by("-seq")[:MOST_BETWEEN]:
        kind, label = ("asked", "Asked") if turn.role == "assistant" else ("said", "Answered")
        yield Entry(kind, turn.after_step, turn.at_ms, label=label, text=turn.content)


def _paused(entries: list[Entry]) -> list[Entry]:
    """A long silence before an entry is said in one line below it."""
    for newer, older in pairwise(entries):
        span = newer.at_ms - older.at_ms
        if span >= LONG_PAUSE:
            newer.pause = times.long(span)
    return entries
