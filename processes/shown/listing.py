"""Processes as rows: running, answered but not picked up, not started, settled, found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from processes.journal.record import Reason, State
from processes.models import Decision, Process
from processes.models.process import ProcessQuery
from processes.shown import reasons, times
from processes.shown.inert import clip, inert
from processes.shown.place import Place, cursor
from processes.shown.words import DID, said_by

LENGTH = 50
OBJECTIVE_CHARS, NOTE_CHARS = 180, 120


@dataclass(frozen=True, slots=True)
class Line:
    """One process in a list. `state` names its icon; `is_late` that someone may want to look."""

    url: str
    state: str
    name: str
    objective: SafeString
    note: SafeString
    meta: SafeString
    ago: str
    at: str
    at_full: str
    is_late: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of a list, newest first; `older` is the cursor of the next."""

    rows: list[Line]
    older: str


def lines(rows: ProcessQuery, place: Place | None, now: int, reader: str) -> Lines:
    """One page of processes; what is decided about them comes in one more query."""
    rows = rows.newest_first()
    if place is not None:
        rows = rows.changed_before(place.at_ms, place.id)
    found = list(rows[: LENGTH + 1])
    has_older, found = len(found) > LENGTH, found[:LENGTH]
    older = cursor(found[-1].updated_at_ms, found[-1].id) if has_older else ""
    return Lines(shown(found, now, reader), older)


def shown(processes: Sequence[Process], now: int, reader: str) -> list[Line]:
    decided = [process.suspension_id for process in processes if process.decided]
    live = Decision.objects.filter(suspension_id__in=decided, live=True) if decided else ()
    decisions = {decision.suspension_id: decision for decision in live}
    return [
        _line(process, decisions.get(process.suspension_id or ""), now, reader)
        for process in processes
    ]


def _line(process: Process, decision: Decision | None, now: int, reader: str) -> Line:
    since = decision.at_ms if decision else process.updated_at_ms
    note = _decided(decision, reader) if decision else _note(process, now)
    return Line(
        url=reverse("processes:process", args=(process.id,)),
        state=state_of(process),
        name=state_name(process),
        objective=inert(clip(process.objective, OBJECTIVE_CHARS)),
        note=inert(clip(note, NOTE_CHARS)),
        meta=inert(_meta(process)),
        ago=times.short(now - since),
        at=times.iso(since),
        at_full=times.full(since),
        is_late=_is_lapsed(process, now),
    )


def state_of(process: Process) -> str:
    """The reason while it is suspended, else the state; `decided` once someone has answered."""
    if process.decided:
        return "decided"
    return process.suspend_reason or process.state


def state_name(process: Process) -> str:
    if process.decided:
        return "Answered, not picked up"
    if process.suspend_reason:
        return reasons.NAMES[Reason(process.suspend_reason)]
    return process.state.capitalize()


def _decided(decision: Decision, reader: str) -> str:
    text = decision.answer or decision.note
    said = f"{said_by(decision.by, reader)} {DID[decision.action]}"
    return f"{said}: {text}" if text else said


def _note(process: Process, now: int) -> str:
    """Where it would go on, and who holds it."""
    if process.state != State.RUNNING:
        return process.outcome or process.question or ""
    step = f"Step {process.stored_steps + 1} may run again if it stops now"
    if _is_lapsed(process, now):
        return f"Its runtime has gone silent. {step}."
    return f"Held by {process.lease_owner}. {step}." if process.lease_owner else f"{step}."


def _is_lapsed(process: Process, now: int) -> bool:
    until = process.lease_until_ms
    return process.state == State.RUNNING and until is not None and until < now


def _meta(process: Process) -> str:
    steps = f"{process.steps_used} step{'' if process.steps_used == 1 else 's'}"
    cycle = process.cycle_id and f"cycle {process.cycle_id}"
    said = [process.agent, steps, process.cycle_phase, cycle]
    return " · ".join(clip(word, 40) for word in said if word)
