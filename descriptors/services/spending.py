"""A budget that is used up stops the wakes and says so in the inbox (contract D08)."""

from __future__ import annotations

from descriptors.contract.cycle import Sleeper, advance
from descriptors.store import sleepers
from processes import services
from processes.journal.commands import Resume, Suspend
from processes.journal.record import Reason, State
from processes.services import Actor, beside

_BY = Actor("system", "budget", scopes=frozenset({"journal"}))


def spend(row: services.Row, old: Sleeper, budget: str, now: int) -> None:
    """Stop waking it, and hold it, so that a person sees it in the inbox. One that was only
    opened asks nobody yet: it is begun and held at once. One that is suspended already cannot
    be suspended again: what it asks is in the inbox still, and when that is decided and nobody
    came for it, it stands under what was not picked up, where a person rings.
    """
    process_id, epoch = row.head.id, row.host.lease_epoch
    is_new = row.head.suspend_reason is Reason.OPENED
    if is_new:
        services.resume(process_id, Resume(lease_epoch=epoch), by=_BY)
    if is_new or row.head.state is State.RUNNING:
        reason = "wall_clock" if budget == "max_wall_ms" else "step_budget"
        said = _words(old, budget) + (" It has not begun." if is_new else "")
        stop = Suspend(reason=reason, detail=said, hold=True, lease_epoch=epoch)
        services.suspend(process_id, stop, by=_BY)
        row = beside.lock_row(process_id, None)
    free = {"lease_owner": None, "lease_until_ms": None}
    seq = beside.note(row, "spent", {"budget": budget}, _BY, now, **free)
    new = advance(old, "spent", {}, now, seq)
    assert new is not None
    sleepers.keep(row.host.agent, new)


def _words(old: Sleeper, budget: str) -> str:
    said = old.descriptor.budget_state
    match budget:
        case "max_consecutive_wakes":
            return f"It woke {old.wakes} times in a row without a person."
        case "max_steps":
            return f"It took {said.max_steps} steps in its wakes without a person."
        case _:
            minutes = (said.max_wall_ms or 0) / 60_000
            return f"Its wakes ran {minutes:g} minutes without a person."
