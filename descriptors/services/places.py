"""Where the log of a process stands, and what a descriptor may say about it."""

from __future__ import annotations

from typing import Any

from dalhc.db import failpoints
from descriptors.contract import errors
from descriptors.contract.cycle import Sleeper, Source
from descriptors.contract.record import LastCommitted
from descriptors.store import incarnation
from processes import services
from processes.services import Actor, Forbidden, beside
from processes.services.actors import require, require_writer
from processes.services.verb import Verb


def require_runtime(by: Actor) -> str:
    """The agent whose sleepers these are. Only a runtime's key puts to sleep and claims."""
    require(by, "wake")
    require_writer(by)
    if by.agent is None:
        raise Forbidden("Only a runtime's key does this: it is bound to its agent.")
    return by.agent


@Verb
def source(session_id: str, *, by: Actor) -> Source:
    """The acknowledgement of a flush: all that was written up to here is on disk (S2:47)."""
    require_runtime(by)
    found = beside.find_row(session_id, by.agent)
    if found is None:
        raise errors.DescriptorNotFound
    place = _standing(found)
    failpoints.reach_after_commit("after_session_flush")
    return place


def find_source(row: services.Row) -> Source | None:
    """The same, within a write; None when there is no log."""
    seq = beside.place(row)
    return None if seq is None else Source(incarnation.minted(), seq)


def check_place(said: LastCommitted, row: services.Row, old: Sleeper | None) -> None:
    """Raises OtherSource, AheadOfLog, StaleWatermark (contract D09, D22)."""
    place = _standing(row)
    current = {"source_revision": place.revision, "seq_watermark": place.seq}
    if said.incarnation != place.incarnation:
        raise errors.OtherSource(pointer="/last_committed/source_revision", current=current)
    if said.seq_watermark > place.seq:
        raise errors.AheadOfLog(pointer="/last_committed/seq_watermark", current=current)
    if old and said.seq_watermark < old.descriptor.last_committed.seq_watermark:
        raise errors.StaleWatermark(pointer="/last_committed/seq_watermark", current=current)


def as_noted(data: dict[str, Any]) -> dict[str, Any]:
    """The data of an event as it is written: a descriptor by its text."""
    descriptor = data.get("descriptor")
    return data | {"descriptor": beside.Spelled(descriptor.text)} if descriptor else data


def _standing(row: services.Row) -> Source:
    found = find_source(row)
    assert found is not None  # a process has its first event from its first moment
    return found
