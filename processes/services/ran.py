"""What a person approved is what ran: the step after an approval is held against it (cases B86,
B89).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from processes.journal import errors
from processes.models import Suspension
from processes.services.actors import Actor
from processes.store import standing, suspensions
from processes.store.standing import Standing
from processes.store.steps import StepFields

_ALLOWS = {"approve", "edit"}


@dataclass(frozen=True, slots=True)
class Use:
    """A decision that was handed over, and the first step after it."""

    stop: Suspension
    approved: str | None  # the key of the call that was let run, where there was one
    step: StepFields

    @property
    def is_other(self) -> bool:
        return self.approved is not None and self.approved != self.step["idempotency_key"]


def use(run: Standing, step: StepFields) -> Use | None:
    """The decision this step uses, if one waits for that. Raises NotApproved where the process
    promised to be strict.
    """
    if run.unused_id is None:
        return None
    stop = suspensions.get(run.unused_id, None)
    return Use(stop, require_approved(stop, step["idempotency_key"]), step)


def require_approved(stop: Suspension, key: str) -> str | None:
    """The key of the call a person let run, if one was. Raises NotApproved for another call
    where the process promised to be strict.
    """
    approved = approved_key(stop)
    if stop.strict and approved is not None and approved != key:
        raise errors.NotApproved(current={"suspension": stop.id, "idempotency_key": approved})
    return approved


def approved_key(stop: Suspension) -> str | None:
    """The step key of the call a person let run; None where no call was proposed."""
    decision = suspensions.live_decision(stop.id) if stop.proposed_tool else None
    allowed = decision is not None and decision.action in _ALLOWS
    return decision.step_key if decision and allowed else None


def keep(run: Standing, found: Use, by: Actor, at_ms: int) -> dict[str, Any]:
    """Stamp the suspension; something else than was approved is an event of its own. Returns
    the host's columns.
    """
    stop = found.stop
    ran = None if found.approved is None else "other" if found.is_other else "approved"
    status = stop.status if stop.status in {"declined", "expired"} else "used"
    suspensions.mark(stop, status, used_step=found.step["seq"], ran=ran)
    if found.is_other:
        data = {
            "suspension": stop.id,
            "step": found.step["seq"],
            "approved": found.approved,
            "ran": found.step["idempotency_key"],
        }
        standing.add_event(run, "ran_other", str(by), data, at_ms)
    return {"unused_id": None}
