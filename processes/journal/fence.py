"""Leases with a fencing epoch: expiry lets another try, the epoch protects (architecture
§3.6).
"""

from __future__ import annotations

from processes.journal import limits
from processes.journal.errors import Fenced, Leased


def check(current: int, given: int | None) -> None:
    """Raise Fenced unless `given` may write. Before the first lease (epoch 0) no epoch is
    needed.
    """
    if given is None and current == 0:
        return
    if given != current:
        raise Fenced(current={"lease_epoch": current})


def claim(epoch: int, owner: str | None, until_ms: int | None, claimant: str, now: int) -> int:
    """The epoch the claimant gets; its own again while its lease lives. Raises Leased."""
    if until_ms is None or not lives(until_ms, now):
        return epoch + 1
    if owner == claimant:
        return epoch
    raise Leased(current={"owner": owner, "lease_until_ms": until_ms})


def lives(until_ms: int, now: int) -> bool:
    """Whether the lease has not lapsed. One with longer to go than any lease is given was taken
    before the clock went back: it is not waited for, since the epoch protects.
    """
    return now < until_ms <= now + limits.LEASE_SECONDS * 1000


def renew(epoch: int, given: int, until_ms: int | None, now: int) -> None:
    """A heartbeat renews its own living lease and never revives a lapsed one."""
    check(epoch, given)
    if until_ms is None or until_ms <= now:
        raise Fenced("The lease has lapsed; claim it again.", current={"lease_epoch": epoch})
