"""An approval is no permit for ever: whoever lost the right before the pickup has approved
nothing (cases B88).
"""

from __future__ import annotations

from django.contrib.auth.models import User

from dalhc.clock import now_ms
from processes import policy
from processes.journal import rules
from processes.models import Decision, Suspension
from processes.services.actors import SYSTEM, person
from processes.services.signals import before_settling, settle
from processes.services.verb import Unchanged, Verb, tell
from processes.store import rows, suspensions


def revoked(stop_id: str) -> Decision | None:
    """The approval that waits here, if its giver may not give it any more."""
    decision, stop = suspensions.live_decision(stop_id), suspensions.get(stop_id, None)
    if decision is None or not policy.lets_go_on(stop, decision.action):
        return None
    return None if may_give(decision.by, stop, decision.action) else decision


def may_give(by: str, stop: Suspension, action: str) -> bool:
    """Whether `principal:…` may still do this. Who has no account here lost no right."""
    kind, _, name = by.partition(":")
    user = User.objects.filter(username=name).first() if kind == "principal" else None
    if user is None:
        return True
    return user.is_active and not policy.refusal(person(user), stop, action)


@Verb
def void(suspension_id: str) -> Suspension:
    """Open again, by the system, and in the log as taken back."""
    process_id = suspensions.get(suspension_id, None).process_id
    before_settling(process_id)
    row = rows.lock_unasked(process_id)
    stop, decision = suspensions.get(suspension_id, None), revoked(suspension_id)
    if decision is None or row.host.suspension_id != stop.id or not row.host.decided:
        raise Unchanged(stop)
    now = now_ms()
    Decision.objects.filter(id=decision.id, live=True).update(live=False, taken_back_at_ms=now)
    suspensions.mark(stop, "open", closed_at_ms=None)
    data = {"suspension": stop.id, "decision": decision.id, "reason": "right_revoked"}
    rows.keep(
        row, rules.Change(row.head), "take_back", str(SYSTEM), data, now, decided=False
    )  # fmt: skip
    settle(row.head.id, stop.id, "taken_back", now)
    tell(row.head.id, "inbox")
    return stop
