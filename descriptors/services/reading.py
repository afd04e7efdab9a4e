"""What is read of sleepers: one, or those that a key or a kind finds (contract D19)."""

from __future__ import annotations

from collections.abc import Sequence

from descriptors.contract import errors
from descriptors.contract.cycle import EVENTS, Sleeper, fold
from descriptors.models import SleeperRow
from descriptors.store import due, sleepers
from descriptors.store.sleepers import COLUMNS, Found
from processes.services import Actor, beside
from processes.services.actors import require


def sleeper(session_id: str, *, by: Actor) -> Found:
    """The row as it stands. Raises DescriptorNotFound, also for another agent's."""
    if "wake" not in by.scopes:
        require(by, "read")
    found = sleepers.find(session_id, by.agent)
    if found is None:
        raise errors.DescriptorNotFound
    return found


def listed(
    *,
    by: Actor,
    kind: str = "",
    key_prefix: str = "",
    preset: str = "",
    stage: str = "",
    after: str = "",
    most: int = 50,
) -> Sequence[Found]:
    """Sleepers in the order of their ids, those past `after`; keys by exact prefix."""
    require(by, "read")
    rows = SleeperRow.objects.visible_to(by.agent).matching(kind, key_prefix, preset, stage)
    if after:
        rows = rows.filter(session_id__gt=after)
    return [as_found(row) for row in rows.order_by("session_id")[:most]]


def due_times(now: int, bins: int, size_ms: int) -> tuple[int, list[int]]:
    """How many are overdue, and how many become due by themselves in each span from now on."""
    edges = [0, *(now + place * size_ms for place in range(bins + 1))]
    overdue, *counts = due.counts(edges)
    return overdue, counts


def whole(found: Found) -> Sleeper:
    """The sleeper of a row; of a row that is no whole one, what the log says. Raises
    DescriptorNotFound when that says nothing.
    """
    said = told(found)
    if said is None:
        raise errors.DescriptorNotFound
    return said


def told(found: Found) -> Sleeper | None:
    """The same, or None."""
    return found.sleeper() or fold(beside.events(found.session_id, EVENTS))


def as_found(row: SleeperRow) -> Found:
    return Found(tuple(getattr(row, name) for name in COLUMNS))
