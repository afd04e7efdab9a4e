"""From a decision to the runtime that waits for it: when it may be handed over at the earliest,
and ringing again when nobody comes for it.
"""

from __future__ import annotations

from django.conf import settings

from dalhc.clock import now_ms
from processes.journal import errors, rules
from processes.models import Suspension
from processes.services.actors import Actor, require_decider
from processes.services.signals import settle
from processes.services.verb import Unchanged, Verb, tell
from processes.store import rows, suspensions


def left_ms(row: rows.Row, now: int) -> int:
    """How long this decision is still kept back, so that it can be taken back; 0 without a
    delivery delay. After the clock has gone back, never longer than twice the delay.
    """
    delay = settings.ENVIRONMENT.delivery_delay_s * 1000
    if not delay or not row.host.decided:
        return 0
    decision = suspensions.live_decision(row.host.suspension_id)
    left = decision.at_ms + delay - now if decision else 0
    return left if 0 < left <= 2 * delay else 0


@Verb
def ring(suspension_id: str, *, by: Actor) -> Suspension:
    """Wake whoever waits for this decision once more (cases B2), also an agent whose budget is
    used up; it is in the log who did.

    Raises NothingDecided. A decision that was handed over is left alone.
    """
    require_decider(by)
    stop = suspensions.get(suspension_id, by.agent)
    row = rows.lock(stop.process_id, by)
    stop = suspensions.get(suspension_id, None)
    if stop.delivered_at_ms is not None:
        raise Unchanged(stop)
    if row.host.suspension_id != stop.id or not row.host.decided:
        raise errors.NothingDecided
    data, now = {"suspension": stop.id}, now_ms()
    rows.keep(row, rules.Change(row.head), "ring", str(by), data, now)
    settle(row.head.id, stop.id, "rung", now)
    tell(row.head.id)
    return stop
