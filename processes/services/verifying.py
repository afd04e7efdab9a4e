"""The chain of events checked from the rows alone: nothing edited, dropped, added or swapped
(architecture §3.4), and, given a checkpoint, nothing rewritten since.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from dalhc.db.snapshot import Execute
from processes.models import Event
from processes.services.broken import Broken
from processes.services.checkpoints import Ends
from processes.services.votes import SAID
from processes.store.log import GENESIS, digest, event_hash
from processes.store.steps import FIELDS as STEP
from processes.store.steps import step_hash
from processes.store.suspensions import DECIDED

_HEADS = "SELECT id, revision, chain FROM processes_process ORDER BY id"
_STUBS = "SELECT process_id, revision, chain FROM processes_archived ORDER BY process_id"
_EVENTS = (
    "SELECT process_id, seq, kind, actor, at_ms, data, prev_hash, hash "
    "FROM processes_event ORDER BY process_id, seq"
)
# A process owned by files has its steps there; its events hold the hash of the file.
_STEPS = (
    f"SELECT process_id, {', '.join(STEP)} FROM processes_step WHERE process_id NOT IN "
    "(SELECT id FROM processes_process WHERE origin = 'files') ORDER BY process_id, seq"
)
_DECISIONS = (
    "SELECT s.process_id, " + ", ".join(f'd."{name}"' for name in DECIDED) + " "
    "FROM processes_decision d JOIN processes_suspension s ON s.id = d.suspension_id"
)


_VOTES = "SELECT id, " + ", ".join(f'"{name}"' for name in SAID) + " FROM processes_vote"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at. `unproven` are archived processes that went on after the checkpoint:
    only their passports can show how.
    """

    processes: int
    events: int
    archived: int
    unproven: tuple[str, ...]


def verify_chains(execute: Execute) -> int:
    """The number of processes whose chains hold. Raises Broken."""
    return verify(execute, {}).processes


def verify(execute: Execute, proven: Ends) -> Verified:
    """Every event chains from the first to the head, steps and decisions are what their events
    say, and each chain still passes through where it stood at the checkpoint. Raises Broken.
    """
    heads = {process_id: (revision, chain) for process_id, revision, chain in execute(_HEADS)}
    stubs = {process_id: (revision, chain) for process_id, revision, chain in execute(_STUBS)}
    if both := heads.keys() & stubs.keys():
        raise Broken(f"{min(both)}: it is archived and still here")
    events = _walk(execute, heads, proven)
    for process_id, end in proven.items():
        _require_reached(process_id, end, heads.get(process_id) or stubs.get(process_id))
    ahead = tuple(name for name, end in stubs.items() if end[0] > proven.get(name, end)[0])
    return Verified(len(heads), events, len(stubs), ahead)


def event_holds(event: Event) -> bool:
    """The hash of one event computed anew."""
    said = (event.seq, event.kind, event.actor, event.at_ms, event.data)
    return event.hash == event_hash(event.prev_hash, event.process_id, *said)


def _walk(execute: Execute, heads: Ends, proven: Ends) -> int:
    ends: dict[str, tuple[int, str]] = {}
    steps, decided, count = _hashes(execute), _decisions(execute), 0
    for process_id, seq, kind, actor, at_ms, data, prev, own in execute(_EVENTS):
        last, chain = ends.get(process_id, (-1, GENESIS))
        if seq != last + 1 or prev != chain:
            raise Broken(f"{process_id}: event {last + 1} is missing or out of order")
        if own != event_hash(prev, process_id, seq, kind, actor, at_ms, data):
            raise Broken(f"{process_id}: event {seq} was changed")
        if proven.get(process_id, (seq, own)) != (seq, own) and proven[process_id][0] == seq:
            raise Broken(f"{process_id}: event {seq} is not the one of the checkpoint")
        ends[process_id] = (seq, own)
        _check_contents(process_id, seq, kind, data, steps, decided)
        count += 1
    for process_id, head in heads.items():
        if ends.get(process_id) != head:
            raise Broken(f"{process_id}: the process and its last event disagree")
    if next(steps, None) is not None or decided:
        raise Broken("a step or a decision stands in no event")
    return count


def _require_reached(
    process_id: str, end: tuple[int, str], now: tuple[int, str] | None
) -> None:
    if now is None:
        raise Broken(f"{process_id}: it was there at the checkpoint and is gone")
    if now[0] < end[0]:
        raise Broken(f"{process_id}: events after {now[0]} were there at the checkpoint")
    if now[0] == end[0] and now[1] != end[1]:
        raise Broken(f"{process_id}: event {end[0]} is not the one of the checkpoint")


type Hashes = Iterator[tuple[str, str]]


def _check_contents(
    process_id: str, seq: int, kind: str, data: str, steps: Hashes, decided: dict[str, str]
) -> None:
    """Steps come in the order of their events, so one walk over each table is enough."""
    if kind == "step" and next(steps, None) != (process_id, json.loads(data)["hash"]):
        raise Broken(f"{process_id}: the step of event {seq} was changed")
    told = {} if kind == "step" else json.loads(data)
    if kind == "vote" and decided.pop(told["vote"], "") != told["said"]:
        raise Broken(f"{process_id}: the vote of event {seq} was changed")
    if not {"decision", "content"} <= told.keys():  # a message has content as well
        return
    if decided.pop(told["decision"], "") != told["content"]:
        raise Broken(f"{process_id}: the decision of event {seq} was changed")


def _hashes(execute: Execute) -> Hashes:
    """Each step's process and hash. Steps that came in with a file have no event of their own,
    and a run that its files own has no others: there the event holds the file's hash.
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
    """The hash of each decision and of each vote."""
    found = {
        values[0]: digest(dict(zip(DECIDED, values, strict=True)))
        for _, *values in execute(_DECISIONS)
    }
    for name, *values in execute(_VOTES):
        found[name] = digest(dict(zip(SAID, values, strict=True)))
    return found
