"""Processes as rows: running, answered but not picked up, not started, settled, found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from processes.journal.record import State
from processes.models import Decision, Process
from processes.models.process import ProcessQuery
from processes.shown import rows
from processes.shown.place import Place, cursor
from processes.shown.words import DID, said_by

LENGTH = 50


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of a list, newest first; `older` is the cursor of the next."""

    rows: SafeString
    older: str


def lines(found: ProcessQuery, place: Place | None, now: int, reader: str) -> Lines:
    """One page of processes; what is decided about them comes in one more query."""
    found = found.newest_first()
    if place is not None:
        found = found.changed_before(place.at_ms, place.id)
    page = list(found[: LENGTH + 1])
    has_older, page = len(page) > LENGTH, page[:LENGTH]
    older = cursor(page[-1].updated_at_ms, page[-1].id) if has_older else ""
    return Lines(shown(page, now, reader), older)


def shown(processes: Sequence[Process], now: int, reader: str) -> SafeString:
    """The items of the list."""
    decided = [process.suspension_id for process in processes if process.decided]
    live = Decision.objects.filter(suspension_id__in=decided, live=True) if decided else ()
    decisions = {decision.suspension_id: decision for decision in live}
    return rows.html(
        _row(process, decisions.get(process.suspension_id or ""), now, reader)
        for process in processes
    )


def state_of(process: Process) -> str:
    """The reason while it is suspended, else the state; `decided` once someone has answered."""
    if process.decided:
        return "decided"
    return process.suspend_reason or process.state


def _row(process: Process, decision: Decision | None, now: int, reader: str) -> SafeString:
    meta = rows.meta(
        process.agent,
        process.steps_used,
        process.cycle_phase,
        process.cycle_id,
        process.origin,
    )
    return rows.row(
        rows.address(process.id),
        state_of(process),
        process.objective,
        _decided(decision, reader) if decision else _note(process, now),
        meta,
        decision.at_ms if decision else process.updated_at_ms,
        now,
        late=_is_lapsed(process, now),
    )


def _decided(decision: Decision, reader: str) -> str:
    text = decision.answer or decision.note
    said = f"{said_by(decision.by, reader)} {DID[decision.action]}"
    return f"{said}: {text}" if text else said


def _note(process: Process, now: int) -> str:
    """Where it would go on, and who holds it; or its last words."""
    if process.state != State.RUNNING:
        return process.outcome or process.question or ""
    step = f"step {process.stored_steps + 1} may run again"
    if _is_lapsed(process, now):
        return f"Its runtime has gone silent; {step}."
    owner = f"Held by {process.lease_owner}" if process.lease_owner else "Held by nobody"
    return f"{owner}; if it stops now, {step}."


def _is_lapsed(process: Process, now: int) -> bool:
    until = process.lease_until_ms
    return process.state == State.RUNNING and until is not None and until < now
