"""A wake by a decision is given no earlier than the decision itself (DALHC_DELIVERY_DELAY)."""

from __future__ import annotations

from descriptors.contract.cycle import Sleeper, Stage
from processes import services
from processes.services import delivery


def left_ms(row: services.Row, sleeper: Sleeper, now: int) -> int:
    """How long the decision that woke it is still kept back; 0 for whatever else woke it."""
    settled = sleeper.settled
    if sleeper.stage is not Stage.SLEEPING or settled is None:
        return 0
    return delivery.left_ms(row, now) if settled.key == row.host.suspension_id else 0
