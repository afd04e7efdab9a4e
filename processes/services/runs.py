"""The verbs of a run: open, suspend, resume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from dalhc import metrics
from dalhc.clock import now_ms
from dalhc.db import writer
from processes import policy
from processes.journal import errors, fence, rules
from processes.journal.commands import OpenProcess, Resume, Suspend
from processes.journal.record import TERMINAL, Action, State
from processes.models import Decision, Suspension
from processes.services import asking, delivery, drafts, expiry, outbox, permits
from processes.services.actors import Actor, Forbidden, require_writer
from processes.services.verb import Unchanged, Verb, tell
from processes.store import ids, opening, rows, suspensions, turns
from processes.store.log import canonical


@dataclass(frozen=True, slots=True)
class Opened:
    """`created` is False when the same body had opened it before."""

    process_id: str
    created: bool


@dataclass(frozen=True, slots=True)
class Resumed:
    """`decision` is handed over here and nowhere else (architecture §3.1)."""

    result: Action
    row: rows.Row
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class _Over:
    """Nothing was resumed: first this is settled."""

    suspension_id: str
    settle: Callable[[str], object]


# An approval without its right, the expiry that had passed meanwhile, and then the resume.
_SETTLED = 3


@Verb
def open_process(command: OpenProcess, *, by: Actor) -> Opened:
    """Open, and with `start` also resume (contract O01-O13). Raises ProcessExists."""
    require_writer(by)
    if by.agent is None:
        raise Forbidden("Only a runtime's key opens a process: it binds it to its agent.")
    body = sha256(canonical(command.model_dump()).encode()).hexdigest()
    process_id = command.id or ids.mint("proc")
    if existing := opening.find(process_id):
        if (
            existing.id == process_id
            and existing.opened_with == body
            and existing.agent == by.agent
        ):
            return Opened(process_id, created=False)
        raise errors.ProcessExists(pointer="/id")
    now = now_ms()
    change = rules.open_process(command, process_id, now)
    row = opening.insert(
        change.head, by.agent, "open", str(by), {"opened_with": body}, opened_with=body
    )
    if command.start:
        row = rows.lock(process_id, by)
        rows.keep(row, rules.resume(row.head, None, now), "resume", str(by), {}, now)
    tell(process_id)
    return Opened(process_id, created=True)


def suspend(process_id: str, command: Suspend, *, by: Actor) -> Suspension:
    """Stop and say why; the same stop again returns the same suspension (contract §3, U).

    Raises also InvalidResponseSchema, AnswerNotOffered and AnswerMisfit.
    """
    require_writer(by)
    asking.require_answerable(command)
    return _suspend(process_id, command, by=by)


@Verb
def _suspend(process_id: str, command: Suspend, *, by: Actor) -> Suspension:
    seen = rows.read(process_id, by)
    rows.require_api(seen, by)
    fence.check(seen.host.lease_epoch, command.lease_epoch)
    if replay := _asked_before(seen, command):
        return replay
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, command.lease_epoch)
    if rows.moved(seen, row) and (replay := _asked_before(row, command)):
        raise Unchanged(replay)
    now = now_ms()
    change = rules.suspend(row.head, command, now)
    if by.agent is not None:  # what the system stops is no question, and is always told
        asking.require_room(row.host.agent)
    asking.require_sensible(command, now)
    held = policy.is_held(command.reason, command.hold)
    at_ms = change.head.updated_at_ms
    stop = suspensions.new(row, ids.mint("susp"), command, held, at_ms, by.owner)
    data = {
        "suspension": stop.id,
        "reason": stop.reason,
        "shown": suspensions.review_digest(stop),
    }
    rows.keep(
        row, change, "suspend", str(by), data, now,
        suspension_id=stop.id, held=held, decided=False, unused_id=None,
    )  # fmt: skip
    outbox.announce(row, stop, now)
    tell(process_id, "inbox")
    if stop.expires_at_ms is not None:
        tell(asking.HOUSEKEEPING)
    return stop


def _asked_before(row: rows.Row, command: Suspend) -> Suspension | None:
    """An ask_key is answered from what is kept, so a crashed agent never asks twice."""
    rules.require_known(row.head)
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    if command.ask_key is not None:
        stop = suspensions.by_ask_key(row.head.id, command.ask_key)
        if stop is None:
            return None
        if suspensions.is_same(stop, command):
            return stop
        raise errors.AskKeyConflict(pointer="/ask_key")
    if row.head.state is not State.SUSPENDED or row.host.decided or not row.host.suspension_id:
        return None
    stop = suspensions.get(row.host.suspension_id, None)
    return stop if suspensions.is_same(stop, command) else None


def resume(process_id: str, command: Resume, *, by: Actor) -> Resumed:
    """Go on, with the decision if one waits (S0:45-51). Raises ApprovalRequired while held.

    Without a change to make (terminal, crash cursor, no answer yet) nothing is written. An
    expiry that has passed, or an approval whose giver lost the right, is settled first.
    """
    require_writer(by)
    for _ in range(_SETTLED):
        found = _resume(process_id, command, by=by)
        if not isinstance(found, _Over):
            return found
        found.settle(found.suspension_id)
    raise errors.Expired  # the clock went back in between: the runtime asks again


@Verb
def _resume(process_id: str, command: Resume, *, by: Actor) -> Resumed | _Over:
    seen = rows.read(process_id, by)
    rows.require_api(seen, by)
    fence.check(seen.host.lease_epoch, command.lease_epoch)
    if over := _over(seen):
        return over
    if told := _as_it_stands(seen):
        return told
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, command.lease_epoch)
    if rows.moved(seen, row) and (told := _as_it_stands(row)):
        row.host.revision -= 1
        raise Unchanged(told)
    return _resumed(row, by)


def _as_it_stands(row: rows.Row) -> Resumed | None:
    """The reply when there is nothing to change."""
    if row.head.state in TERMINAL:
        return Resumed(Action.TERMINAL, row)
    if row.head.state is State.RUNNING:
        return Resumed(Action.CONTINUE, row, _last_delivered(row.head.id))
    if rules.asks(row.head) and (not row.host.decided or delivery.left_ms(row, now_ms())):
        return Resumed(Action.NEEDS_ANSWER, row)
    return None


def _over(row: rows.Row) -> _Over | None:
    """What is settled before anything else: a time that is over, a right that is gone."""
    stop_id = row.host.suspension_id
    if stop_id is None or row.head.state is not State.SUSPENDED:
        return None
    if row.host.decided:
        return _Over(stop_id, permits.void) if permits.revoked(stop_id) else None
    passed = expiry.has_passed(suspensions.get(stop_id, None), now_ms())
    return _Over(stop_id, expiry.expire) if passed else None


def _resumed(row: rows.Row, by: Actor) -> Resumed:
    if row.host.held and not row.host.decided:
        raise errors.ApprovalRequired(current={"suspension": row.host.suspension_id})
    now = now_ms()
    if left := delivery.left_ms(row, now):
        current = {"suspension": row.host.suspension_id}
        raise errors.ApprovalRequired(current=current, retry_after=-(-left // 1000))
    decision = suspensions.live_decision(row.host.suspension_id) if row.host.decided else None
    change = rules.resume(row.head, _told(decision), now)
    data = {"suspension": row.host.suspension_id, "decision": decision.id if decision else None}
    host: dict[str, Any] = {"suspension_id": None, "decided": False, "held": False}
    if row.host.suspension_id:
        stop = suspensions.get(row.host.suspension_id, None)
        if decision:
            host["unused_id"] = stop.id
            suspensions.mark(stop, _delivered(stop), delivered_at_ms=now)
            waited = max(0, now - decision.at_ms) / 1000
            writer.after_commit(partial(metrics.PICKUP.observe, waited))
            drafts.forget_sent(stop, decision)
        else:
            suspensions.mark(stop, "superseded", closed_at_ms=now)
    if change.turns:
        who = decision.by if decision else ""
        host |= turns.add(row, change.turns, now, row.host.suspension_id, who)
    rows.keep(row, change, "resume", str(by), data, now, **host)
    tell(row.head.id, "inbox")
    return Resumed(Action.CONTINUE, row, decision)


def _told(decision: Decision | None) -> rules.Decided | None:
    """A decline's note stands where the answer would (contract §3)."""
    if decision is None:
        return None
    return rules.Decided(decision.note if decision.action == "decline" else decision.answer)


def _delivered(stop: Suspension) -> str:
    return stop.status if stop.status in {"declined", "expired"} else "delivered"


def _last_delivered(process_id: str) -> Decision | None:
    """The crash cursor is told again what it may not have heard."""
    stop = suspensions.latest(process_id)
    if stop is None or stop.delivered_at_ms is None:
        return None
    return suspensions.live_decision(stop.id)
