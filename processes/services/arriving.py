"""A stop that came with a journal's file, not by a runtime's call: it waits like any other."""

from __future__ import annotations

from processes import policy
from processes.journal.commands import Suspend
from processes.journal.record import ProcessHead, ProcessRecord, Reason, State
from processes.models import Suspension
from processes.services import outbox
from processes.store import ids, rows, suspensions


def waits(record: ProcessHead) -> bool:
    """Whether the record stands at a stop that people see."""
    return record.state is State.SUSPENDED and record.suspend_reason is not Reason.OPENED


def stop_of(row: rows.Row, record: ProcessRecord, now: int, owner: str = "") -> Suspension:
    """List the record's stop, held as its reason is, and tell whom it may concern."""
    reason = str(record.suspend_reason)
    command = Suspend.model_construct(
        reason=reason, question=record.question, detail=None, ask_key=None,
        hold=False, options=None, proposed_action=None,
    )  # fmt: skip
    held = policy.is_held(reason, hold=False)
    stop = suspensions.new(row, ids.mint("susp"), command, held, now, owner)
    outbox.announce(row, stop, now)
    return stop
