"""How a run ends: completed, failed, or stopped by a person."""

from __future__ import annotations

from typing import Any

from dalhc.clock import now_ms
from processes.journal import fence, rules
from processes.journal.commands import Complete, Fail, Stop
from processes.journal.record import State
from processes.services.actors import (
    Actor,
    require_allowed,
    require_decider,
    require_writer,
)
from processes.services.signals import settle
from processes.services.verb import Unchanged, Verb, tell
from processes.store import drafts, rows, suspensions


@Verb
def complete(process_id: str, command: Complete, *, by: Actor) -> rows.Row:
    """The run reached its objective; the same again is the same reply (contract K05, K09)."""
    return _finish(process_id, State.COMPLETED, command.final_text, command.lease_epoch, by)


@Verb
def fail(process_id: str, command: Fail, *, by: Actor) -> rows.Row:
    """The run gave up; the same again is the same reply (contract K06, K09)."""
    return _finish(process_id, State.FAILED, command.error, command.lease_epoch, by)


def _finish(
    process_id: str, state: State, text: str | None, epoch: int | None, by: Actor
) -> rows.Row:
    require_writer(by)
    seen = rows.read(process_id, by)
    rows.require_api(seen, by)
    fence.check(seen.host.lease_epoch, epoch)
    if _has_ended(seen, state, text):
        return seen
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, epoch)
    if rows.moved(seen, row) and _has_ended(row, state, text):
        row.host.revision -= 1
        raise Unchanged(row)
    now = now_ms()
    change = rules.finish(row.head, state, now)
    _end(row, change, "finish", {"state": state, "text": text}, text, by, now)
    return row


def _has_ended(row: rows.Row, state: State, text: str | None) -> bool:
    return row.head.state == state and row.host.outcome == text


@Verb
def stop(process_id: str, command: Stop, *, by: Actor) -> rows.Row:
    """A person ends a suspended or running process; it has failed, and the note says why."""
    require_decider(by)
    row = rows.lock(process_id, by)
    require_stopper(row, by)
    stop_row(row, command.note, by, now_ms(), {})
    return row


def require_stopper(row: rows.Row, by: Actor) -> None:
    """Ending a process decides what it waits for: the same policies (cases B79)."""
    if row.host.suspension_id and not row.host.decided:
        require_allowed(by, suspensions.get(row.host.suspension_id, None), "stop")


def stop_row(row: rows.Row, note: str, by: Actor, now: int, seen: dict[str, Any]) -> None:
    """Within the caller's transaction and lock. `seen` is what a decision adds to the event."""
    change = rules.stop(row.head, now)
    data = {"state": State.FAILED, "note": note, **seen}
    _end(row, change, "finish", data, note, by, now)


def _end(
    row: rows.Row,
    change: rules.Change,
    kind: str,
    data: dict[str, Any],
    outcome: str | None,
    by: Actor,
    now: int,
) -> None:
    """A terminal process withdraws its open suspension in the same
    transaction (contract §3).
    """
    if row.host.suspension_id:
        waiting = suspensions.get(row.host.suspension_id, None)
        suspensions.mark(waiting, "withdrawn", closed_at_ms=now)
        drafts.forget(waiting.id, str(by))
    ended = {"suspension_id": None, "unused_id": None, "decided": False, "held": False}
    lease = {"lease_owner": None, "lease_until_ms": None}
    rows.keep(row, change, kind, str(by), data, now, outcome=outcome, **ended, **lease)
    settle(row.head.id, None, "finished", now)
    tell(row.head.id, "inbox")
