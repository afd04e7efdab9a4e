"""What happens when nobody answers in time: settled once, by the system, never an approval
(architecture §3.14).

Every decision and resume first settles a passed expiry, so that the housekeeper may be late but
never wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Concatenate

from dalhc.clock import now_ms
from processes.journal import errors, rules
from processes.journal.commands import Choice
from processes.journal.record import Reason
from processes.journal.timing import is_passed
from processes.models import Decision, Suspension
from processes.services import outbox
from processes.services.actors import SYSTEM
from processes.services.ending import stop_row
from processes.services.signals import settle
from processes.services.verb import Unchanged, Verb, tell
from processes.store import ids, rows, suspensions


def has_passed(stop: Suspension, now: int) -> bool:
    return is_passed(stop.status, stop.expires_at_ms, stop.on_timeout, now)


def is_over(stop: Suspension, now: int) -> bool:
    """Whether it would pass at once if it were open again."""
    return is_passed("open", stop.expires_at_ms, stop.on_timeout, now)


def require_in_time(stop: Suspension, now: int) -> None:
    """Raises Expired, on a locked row."""
    if has_passed(stop, now):
        raise errors.Expired


def in_time[**P, T](
    verb: Callable[Concatenate[str, P], T],
    suspension_id: str,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """The verb, unless its time is over: then that is settled first, and the caller told."""
    try:
        return verb(suspension_id, *args, **kwargs)
    except errors.Expired:
        stop = expire(suspension_id)
        decision = suspensions.live_decision(stop.id)
        raise errors.Expired(current=outcome(stop, decision)) from None


def outcome(stop: Suspension, decision: Decision | None) -> dict[str, Any]:
    """What a loser of the race against the clock is told."""
    told: dict[str, Any] = {"who": str(SYSTEM), "when_ms": stop.expires_at_ms}
    action = decision.action if decision else "stop"
    return told | {
        "action": action,
        "answer": decision.answer if decision else None,
        "note": decision.note if decision else None,
    }


@Verb
def expire(suspension_id: str) -> Suspension:
    """Settle a passed expiry; one that has not passed, or is settled, is left as it is."""
    process_id = suspensions.get(suspension_id, None).process_id
    row = rows.lock_unasked(process_id)
    stop = suspensions.get(suspension_id, None)
    now = now_ms()
    if not has_passed(stop, now) or row.host.suspension_id != stop.id:
        raise Unchanged(stop)
    _settle(row, stop, now)
    return stop


def _settle(row: rows.Row, stop: Suspension, now: int) -> None:
    reason = f"{stop.on_timeout}_on_timeout"
    said = f"No answer by {_clock(stop.expires_at_ms or now)}."
    if stop.on_timeout == "stop":
        suspensions.mark(stop, "expired", closed_at_ms=now)
        data = {"suspension": stop.id, "reason": reason}
        row.host.suspension_id = None  # it has expired, and is not withdrawn
        stop_row(row, said, SYSTEM, now, data)
        outbox.report(row, stop, now)
        return
    choice = _choice(stop, said)
    decision = suspensions.add_decision(ids.mint("dec"), stop, choice, str(SYSTEM), now)
    suspensions.mark(stop, "expired", closed_at_ms=now)
    content = suspensions.decision_hash(decision)
    data = {"suspension": stop.id, "decision": decision.id, "content": content}
    denials = row.host.denials + (choice.action == "deny")
    rows.keep(
        row, rules.Change(row.head), "expire", str(SYSTEM), data | {"reason": reason}, now,
        decided=True, denials=denials,
    )  # fmt: skip
    outbox.report(row, stop, now)
    settle(row.head.id, stop.id, "expired", now)
    tell(row.head.id, "inbox")


def _choice(stop: Suspension, said: str) -> Choice:
    """Nobody saw it, but what it stands for is what was shown."""
    seen = suspensions.review_digest(stop)
    if stop.on_timeout == "default":
        return Choice(action="answer", answer=stop.default_answer, review_digest=seen)
    if stop.reason == Reason.ASK_USER:
        return Choice(action="decline", note=said, review_digest=seen)
    return Choice(action="deny", note=said, review_digest=seen)


def _clock(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return f"{at:%Y-%m-%d %H:%M} UTC"
