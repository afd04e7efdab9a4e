"""Leases of a run: claim, heartbeat, release (architecture §3.6)."""

from __future__ import annotations

from dalhc import metrics
from dalhc.clock import now_ms
from dalhc.db import writer
from processes.journal import errors, fence, rules
from processes.journal.commands import HoldLease, TakeLease
from processes.journal.record import TERMINAL
from processes.services.actors import Actor, require_writer
from processes.services.signals import settle
from processes.services.verb import Unchanged, Verb
from processes.store import rows


@Verb
def lease(process_id: str, command: TakeLease, *, by: Actor) -> rows.Row:
    """Claim the run; the same owner's living claim comes back as it is. Raises Leased."""
    require_writer(by)
    row, now = rows.lock(process_id, by), now_ms()
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    host = row.host
    epoch = fence.claim(
        host.lease_epoch, host.lease_owner, host.lease_until_ms, command.owner, now
    )
    if epoch == host.lease_epoch:
        host.revision -= 1
        raise Unchanged(row)
    until = now + command.ttl_s * 1000
    data = {"epoch": epoch, "owner": command.owner, "until_ms": until}
    rows.keep(
        row, rules.Change(row.head), "lease", str(by), data, now,
        lease_epoch=epoch, lease_owner=command.owner, lease_until_ms=until,
    )  # fmt: skip
    settle(process_id, None, "leased", now)
    writer.after_commit(metrics.CLAIMS.labels("lease").inc)
    return row


@Verb
def heartbeat(process_id: str, command: HoldLease, *, by: Actor) -> rows.Row:
    """Renew one's own living lease. No event: a heartbeat is not
    history (architecture §3.4).
    """
    require_writer(by)
    row, now = rows.read(process_id, by), now_ms()
    if by.expected not in (None, row.host.revision):
        raise errors.PreconditionFailed(
            current={"state": row.head.state, "revision": row.host.revision}
        )
    fence.renew(row.host.lease_epoch, command.lease_epoch, row.host.lease_until_ms, now)
    until = now + command.ttl_s * 1000
    if not rows.renew_lease(process_id, command.lease_epoch, until):
        raise errors.Fenced
    row.host.lease_until_ms = until
    return row


@Verb
def release(process_id: str, command: HoldLease, *, by: Actor) -> rows.Row:
    """Give the run back; the epoch stays, so that what was sent late is still fenced."""
    require_writer(by)
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, command.lease_epoch)
    if row.host.lease_owner is None:
        row.host.revision -= 1
        raise Unchanged(row)
    data, now = {"epoch": row.host.lease_epoch}, now_ms()
    rows.keep(
        row, rules.Change(row.head), "release", str(by), data, now,
        lease_owner=None, lease_until_ms=None,
    )  # fmt: skip
    settle(process_id, None, "released", now)
    return row
