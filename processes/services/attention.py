"""Who is on it and when it comes back: claim, let go, reassign, snooze. None decides."""

from __future__ import annotations

from typing import Any

from dalhc.clock import now_ms
from processes import policy
from processes.journal import errors, rules
from processes.journal.attention import Claim, Reassign, Snooze
from processes.journal.record import TERMINAL
from processes.journal.timing import is_passed
from processes.models import Suspension
from processes.services import asking, expiry
from processes.services.actors import Actor, Forbidden, require_decider
from processes.services.verb import Unchanged, Verb, tell
from processes.store import attention, rows, suspensions


def claim(suspension_id: str, command: Claim, *, by: Actor) -> Suspension:
    """Be the one who decides it. Raises Claimed while another is, unless `take_over`."""
    require_decider(by)
    return expiry.in_time(_claim, suspension_id, command, by=by)


@Verb
def _claim(suspension_id: str, command: Claim, *, by: Actor) -> Suspension:
    row, stop = _open(suspension_id, by)
    if stop.holder == str(by):
        raise Unchanged(stop)
    if stop.holder is not None and not command.take_over:
        raise errors.Claimed(current={"who": stop.holder, "when_ms": stop.claimed_at_ms})
    if refusal := policy.refusal(by, stop, "stop"):
        raise Forbidden(refusal)
    kind, data = ("take_over", {"from": stop.holder}) if stop.holder else ("claim", {})
    now = now_ms()
    attention.update(stop, holder=str(by), claimed_at_ms=now)
    _keep(row, stop, kind, data, by, now)
    return stop


def let_go(suspension_id: str, *, by: Actor) -> Suspension:
    """Give back what one has claimed. Raises Claimed when another holds it."""
    require_decider(by)
    return expiry.in_time(_let_go, suspension_id, by=by)


@Verb
def _let_go(suspension_id: str, *, by: Actor) -> Suspension:
    row, stop = _open(suspension_id, by)
    if stop.holder is None:
        raise Unchanged(stop)
    _require_free(stop, by)
    attention.update(stop, holder=None, claimed_at_ms=None)
    _keep(row, stop, "release", {}, by, now_ms())
    return stop


def reassign(suspension_id: str, command: Reassign, *, by: Actor) -> Suspension:
    """Say whom it is meant for; whoever held it lets go. Raises UnknownAssignee, Claimed."""
    require_decider(by)
    return expiry.in_time(_reassign, suspension_id, command, by=by)


@Verb
def _reassign(suspension_id: str, command: Reassign, *, by: Actor) -> Suspension:
    row, stop = _open(suspension_id, by)
    _require_free(stop, by)
    asking.require_known(command.assignees)
    names = command.assignees
    if names == stop.assignees and stop.holder is None:
        raise Unchanged(stop)
    data = {"from": list(stop.assignees), "to": list(names)}
    attention.forget_assignees(stop)
    attention.assign(stop, names)
    columns = {"assignees_json": stop.assignees_json, "holder": None, "claimed_at_ms": None}
    attention.update(stop, **columns)
    attention.name_assignees(stop)
    _keep(row, stop, "reassign", data, by, now_ms())
    return stop


def snooze(suspension_id: str, command: Snooze, *, by: Actor) -> Suspension:
    """Out of everyone's list until a moment; None brings it back. What it waits for does not
    change: an expiry passes meanwhile all the same.
    """
    require_decider(by)
    return expiry.in_time(_snooze, suspension_id, command, by=by)


@Verb
def _snooze(suspension_id: str, command: Snooze, *, by: Actor) -> Suspension:
    row, stop = _open(suspension_id, by)
    _require_free(stop, by)
    now, until = now_ms(), command.until
    if until is not None and until <= now:
        raise errors.InvalidSnooze(pointer="/until")
    if until is not None and is_passed("open", stop.expires_at_ms, stop.on_timeout, until):
        raise errors.InvalidSnooze("It expires before that.", pointer="/until")
    if until == stop.snoozed_until_ms:
        raise Unchanged(stop)
    sleeper = str(by) if until is not None else None
    attention.update(stop, snoozed_until_ms=until, snoozed_by=sleeper)
    _keep(row, stop, "snooze", {"until_ms": until}, by, now)
    return stop


@Verb
def awake(suspension_id: str) -> Suspension:
    """The end of a snooze. No event: that it would end was said when it began."""
    stop = suspensions.get(suspension_id, None)
    if stop.snoozed_until_ms is None or stop.snoozed_until_ms > now_ms():
        raise Unchanged(stop)
    attention.update(stop, snoozed_until_ms=None, snoozed_by=None)
    tell("inbox")
    return stop


def _open(suspension_id: str, by: Actor) -> tuple[rows.Row, Suspension]:
    """The process locked, and a suspension of it that still waits. Raises NotSuspended,
    ProcessTerminal, Expired.
    """
    process_id = suspensions.get(suspension_id, by.agent).process_id
    row = rows.lock(process_id, by)
    stop = suspensions.get(suspension_id, None)
    if stop.status != "open" or row.host.suspension_id != stop.id:
        if row.head.state in TERMINAL:
            raise errors.ProcessTerminal
        raise errors.NotSuspended("This is no longer waiting.")
    expiry.require_in_time(stop, now_ms())
    return row, stop


def _require_free(stop: Suspension, by: Actor) -> None:
    if policy.is_held_by_another(by, stop):
        raise errors.Claimed(current={"who": stop.holder, "when_ms": stop.claimed_at_ms})


def _keep(
    row: rows.Row, stop: Suspension, kind: str, data: dict[str, Any], by: Actor, now: int
) -> None:
    said = {"suspension": stop.id, **data}
    rows.keep(row, rules.Change(row.head), kind, str(by), said, now)
    tell(row.head.id, "inbox", asking.HOUSEKEEPING)
