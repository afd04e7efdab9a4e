"""The chain of events checked from the rows alone: nothing edited, dropped, added or swapped
(architecture §3.4).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from processes.store.log import GENESIS, digest, event_hash
from processes.store.steps import FIELDS as STEP
from processes.store.steps import step_hash
from processes.store.suspensions import DECIDED

type Execute = Callable[[str], Iterable[tuple[Any, ...]]]

_HEADS = "SELECT id, revision, chain FROM processes_process ORDER BY id"
_EVENTS = (
    "SELECT process_id, seq, kind, actor, at_ms, data, prev_hash, hash "
    "FROM processes_event ORDER BY process_id, seq"
)


_STEPS = f"SELECT process_id, {', '.join(STEP)} FROM processes_step ORDER BY process_id, seq"
_DECISIONS = (
    "SELECT s.process_id, " + ", ".join(f'd."{name}"' for name in DECIDED) + " "
    "FROM processes_decision d JOIN processes_suspension s ON s.id = d.suspension_id"
)


class Broken(Exception):
    """A chain does not hold; the text says where."""


def verify_chains(execute: Execute) -> int:
    """The number of processes whose every event chains from the first to the head, and whose
    steps and decisions are what their events say. Raises Broken.
    """
    heads = {process_id: (revision, chain) for process_id, revision, chain in execute(_HEADS)}
    ends: dict[str, tuple[int, str]] = {}
    steps, decided = _hashes(execute), _decisions(execute)
    for process_id, seq, kind, actor, at_ms, data, prev, own in execute(_EVENTS):
        last, chain = ends.get(process_id, (-1, GENESIS))
        if seq != last + 1 or prev != chain:
            raise Broken(f"{process_id}: event {last + 1} is missing or out of order")
        if own != event_hash(prev, process_id, seq, kind, actor, at_ms, data):
            raise Broken(f"{process_id}: event {seq} was changed")
        ends[process_id] = (seq, own)
        _check_contents(process_id, seq, kind, data, steps, decided)
    for process_id, head in heads.items():
        if ends.get(process_id) != head:
            raise Broken(f"{process_id}: the process and its last event disagree")
    return len(heads)


type Hashes = Iterator[tuple[str, str]]


def _check_contents(
    process_id: str, seq: int, kind: str, data: str, steps: Hashes, decided: dict[str, str]
) -> None:
    """Steps come in the order of their events, so one walk over each table is enough."""
    if kind == "step" and next(steps, None) != (process_id, json.loads(data)["hash"]):
        raise Broken(f"{process_id}: the step of event {seq} was changed")
    told = json.loads(data) if kind in {"decide", "finish"} else {}
    if "decision" in told and decided.get(told["decision"]) != told["content"]:
        raise Broken(f"{process_id}: the decision of event {seq} was changed")


def _hashes(execute: Execute) -> Hashes:
    """Each step's process and hash. Steps that came in with a file
    have no event of their own.
    """
    taken_in = {
        process_id: json.loads(data)["steps"]
        for process_id, data in execute(
            "SELECT process_id, data FROM processes_event WHERE kind = 'import'"
        )
    }
    for process_id, *values in execute(_STEPS):
        step = dict(zip(STEP, values, strict=True))
        if step["seq"] > taken_in.get(process_id, 0):
            yield process_id, step_hash(step)


def _decisions(execute: Execute) -> dict[str, str]:
    return {
        values[0]: digest(dict(zip(DECIDED, values, strict=True)))
        for _, *values in execute(_DECISIONS)
    }
