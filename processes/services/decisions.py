"""What people decide: stored outside the journal until the runtime resumes (architecture
§3.1).
"""

from __future__ import annotations

import contextlib
from typing import Any

from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes import policy
from processes.journal import errors, rules
from processes.journal.commands import Choice, Nack
from processes.journal.record import TERMINAL
from processes.models import Decision, Suspension
from processes.models.process import FILES
from processes.services import expiry, outbox, ran, votes
from processes.services.actors import (
    Actor,
    require_allowed,
    require_decider,
    require_writer,
)
from processes.services.ending import stop_row
from processes.services.signals import before_settling, settle
from processes.services.verb import Unchanged, Verb, tell
from processes.store import ids, rows, suspensions

_OUTCOMES = frozenset({"declined", "expired"})  # they say more than that it was used
_CONTENT = ("action", "answer", "args", "note")


def decide(suspension_id: str, choice: Choice, *, by: Actor) -> Suspension:
    """Store the decision; the first wins, the same again is a replay (contract N17, N18).

    Order: decided already → 409 already_answered; changed since seen → 409 stale_review;
    If-Match → 412. Raises also NotSuspended, ActionNotOffered, AnswerNotOffered, AnswerMisfit,
    Expired, Claimed. Where two must approve, the first approval leaves the suspension open.
    """
    return expiry.in_time(decide_once, suspension_id, choice, by=by)


@Verb
def decide_once(suspension_id: str, choice: Choice, *, by: Actor) -> Suspension:
    """The transaction of `decide`. Raises Expired with nothing settled yet."""
    require_decider(by)
    row, stop = _locked(suspension_id, by)
    seen, now = row.host.revision - 1, now_ms()
    if decision := suspensions.live_decision(stop.id):
        return _decided_before(row, stop, decision, choice, by)
    _require_open(row, stop)
    expiry.require_in_time(stop, now)
    _require_seen(row, stop, choice, seen)
    rows.require_revision(row, by)
    policy.check(stop, choice)
    require_allowed(by, stop, choice.action)
    if not votes.are_enough(row, stop, choice, by, now):
        return stop
    decision = suspensions.add_decision(ids.mint("dec"), stop, choice, str(by), now)
    _keep(row, stop, decision, choice, by, now)
    return stop


def try_answer(suspension_id: str, choice: Choice, *, by: Actor) -> None:
    """Try a long typed answer before the lock is taken: whoever writes meanwhile need not
    wait for it. What comes of it is remembered, and told by `decide`.
    """
    if choice.answer is None or not choice.answer.lstrip().startswith(("{", "[")):
        return
    stop = suspensions.get(suspension_id, by.agent)
    with contextlib.suppress(Problem):
        policy.check(stop, choice)


def _locked(suspension_id: str, by: Actor) -> tuple[rows.Row, Suspension]:
    """The process locked, and the suspension as it stands under the lock."""
    process_id = suspensions.get(suspension_id, by.agent).process_id
    return rows.lock_unasked(process_id), suspensions.get(suspension_id, None)


def _keep(
    row: rows.Row, stop: Suspension, decision: Decision, choice: Choice, by: Actor, now: int
) -> None:
    data = {
        "suspension": stop.id,
        "decision": decision.id,
        "content": suspensions.decision_hash(decision),
        "seen": choice.review_digest,
    }
    if choice.action == "stop" and row.host.origin != FILES:
        stop_row(row, choice.note or "", by, now, data)
        stop.refresh_from_db()
    else:
        status = "declined" if choice.action == "decline" else "answered"
        suspensions.mark(stop, status, closed_at_ms=now)
        denials = row.host.denials + (choice.action == "deny")
        rows.keep(
            row,
            rules.Change(row.head),
            "decide",
            str(by),
            data,
            now,
            decided=True,
            denials=denials,
        )
    outbox.report(row, stop, now)
    settle(row.head.id, stop.id, "decided", now)
    tell(row.head.id, "inbox")


def _decided_before(
    row: rows.Row, stop: Suspension, decision: Decision, choice: Choice, by: Actor
) -> Suspension:
    """The same person's same decision is a replay; anything else is told who was first."""
    same = all(getattr(decision, name) == getattr(choice, name) for name in _CONTENT)
    if same and decision.by == str(by):
        raise Unchanged(stop)
    raise errors.AlreadyAnswered(current=current(row, decision))


def _require_open(row: rows.Row, stop: Suspension) -> None:
    if stop.status == "open" and row.host.suspension_id == stop.id:
        rules.require_asked(row.head)
        return
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal(current=current(row))
    raise errors.NotSuspended("This is no longer waiting.", current=current(row))


def _require_seen(row: rows.Row, stop: Suspension, choice: Choice, seen: int) -> None:
    changed = choice.revision is not None and choice.revision != seen
    if changed or suspensions.review_digest(stop) != choice.review_digest:
        raise errors.StaleReview(current=current(row))


def current(row: rows.Row, decision: Decision | None = None) -> dict[str, Any]:
    """What a refused caller is told about how things stand."""
    state: dict[str, Any] = {"state": row.head.state, "revision": row.host.revision - 1}
    if decision is not None:
        state |= {"who": decision.by, "when_ms": decision.at_ms, "action": decision.action}
        state |= {"answer": decision.answer, "note": decision.note}
    return state


@Verb
def take_back(suspension_id: str, *, by: Actor) -> Suspension:
    """Undo a decision until it is delivered; the suspension waits again."""
    require_decider(by)
    before_settling(suspensions.get(suspension_id, by.agent).process_id)
    row, stop = _locked(suspension_id, by)
    now = now_ms()
    decision = suspensions.live_decision(stop.id)
    if decision is None and votes.withdraw(row, stop, by, now):
        return stop
    if decision is None:
        raise errors.NothingDecided(current=current(row))
    if row.host.origin == FILES:
        raise errors.NotTakenBack("It is written to the file.", current=current(row, decision))
    if stop.status == "expired" or expiry.is_over(stop, now):
        raise errors.NotTakenBack("Its time is over.", current=current(row, decision))
    if row.host.suspension_id != stop.id or not row.host.decided:
        raise errors.NotTakenBack(current=current(row, decision))
    rows.require_revision(row, by)
    Decision.objects.filter(id=decision.id, live=True).update(live=False, taken_back_at_ms=now)
    suspensions.mark(stop, "open", closed_at_ms=None)
    denials = row.host.denials - (decision.action == "deny")
    data = {"suspension": stop.id, "decision": decision.id}
    rows.keep(
        row,
        rules.Change(row.head),
        "take_back",
        str(by),
        data,
        now,
        decided=False,
        denials=denials,
    )
    settle(row.head.id, stop.id, "taken_back", now)
    tell(row.head.id, "inbox")
    return stop


@Verb
def ack(suspension_id: str, *, by: Actor) -> Suspension:
    """The runtime says it has used the decision; a second time changes nothing.

    After an approved call the next step is still held against it, whatever is said here.
    """
    stop, row = _of_runtime(suspension_id, by)
    if row.host.unused_id != stop.id or stop.status == "used":
        _require_delivered(stop, row)
        raise Unchanged(stop)
    suspensions.mark(stop, stop.status if stop.status in _OUTCOMES else "used")
    unused = stop.id if ran.approved_key(stop) else None
    data = {"suspension": stop.id}
    rows.keep(row, rules.Change(row.head), "ack", str(by), data, now_ms(), unused_id=unused)
    return stop


@Verb
def nack(suspension_id: str, command: Nack, *, by: Actor) -> Suspension:
    """The runtime could not use the decision; people see why, and
    resume hands it over again.
    """
    stop, row = _of_runtime(suspension_id, by)
    _require_delivered(stop, row)
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal(current=current(row))
    Suspension.objects.filter(id=stop.id).update(nack_error=command.error)
    stop.nack_error = command.error
    data = {"suspension": stop.id, "error": command.error}
    rows.keep(row, rules.Change(row.head), "nack", str(by), data, now_ms())
    tell(row.head.id)
    return stop


def _of_runtime(suspension_id: str, by: Actor) -> tuple[Suspension, rows.Row]:
    require_writer(by)
    stop = suspensions.get(suspension_id, by.agent)
    row = rows.lock(stop.process_id, by)
    return suspensions.get(suspension_id, by.agent), row


def _require_delivered(stop: Suspension, row: rows.Row) -> None:
    if stop.delivered_at_ms is None:
        raise errors.NothingDecided("Nothing of this was handed over.", current=current(row))
