"""The chain of events checked from the rows alone: nothing edited, dropped, added or swapped
(architecture §3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from processes.store.log import GENESIS, event_hash

type Execute = Callable[[str], Iterable[tuple[Any, ...]]]

_HEADS = "SELECT id, revision, chain FROM processes_process ORDER BY id"
_EVENTS = (
    "SELECT process_id, seq, kind, actor, at_ms, data, prev_hash, hash "
    "FROM processes_event ORDER BY process_id, seq"
)


class Broken(Exception):
    """A chain does not hold; the text says where."""


def verify_chains(execute: Execute) -> int:
    """The number of processes whose every event chains from the first to the head. Raises
    Broken.
    """
    heads = {process_id: (revision, chain) for process_id, revision, chain in execute(_HEADS)}
    ends: dict[str, tuple[int, str]] = {}
    for process_id, seq, kind, actor, at_ms, data, prev, own in execute(_EVENTS):
        last, chain = ends.get(process_id, (-1, GENESIS))
        if seq != last + 1 or prev != chain:
            raise Broken(f"{process_id}: event {last + 1} is missing or out of order")
        if own != event_hash(prev, process_id, seq, kind, actor, at_ms, data):
            raise Broken(f"{process_id}: event {seq} was changed")
        ends[process_id] = (seq, own)
    for process_id, head in heads.items():
        if ends.get(process_id) != head:
            raise Broken(f"{process_id}: the process and its last event disagree")
    return len(heads)
