"""Claiming: exactly one runtime is given what is due (contract W12-W14)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dalhc import metrics
from dalhc.clock import now_ms
from dalhc.db import failpoints, writer
from descriptors.contract.commands import ClaimWakes
from descriptors.contract.cycle import (
    EVENTS,
    Recovery,
    Sleeper,
    Stage,
    advance,
    at_source,
    fold,
    recover,
    spent,
)
from descriptors.contract.wake import Settled
from descriptors.services.handing import left_ms
from descriptors.services.places import as_noted, find_source, require_runtime
from descriptors.services.spending import spend
from descriptors.services.topics import tell_wakes
from descriptors.store import due, sleepers
from processes import services
from processes.journal.errors import ProcessNotFound, UnknownState
from processes.services import Actor, beside, delivery
from processes.services.verb import Unchanged, Verb

# A process in a state we do not know is looked at again after so long.
LATER_MS = 60_000


@dataclass(frozen=True, slots=True)
class Wake:
    """One claimed agent: its process, its descriptor, and what the claim found.

    `interrupted` when an earlier claim ended without a commit; `decided` when a decision waits
    that resume would hand over now.
    """

    row: services.Row
    sleeper: Sleeper
    recovery: Recovery
    interrupted: bool
    decided: bool


@dataclass(frozen=True, slots=True)
class Claimed:
    """`next_due_ms` is when the next becomes due by itself, for who waits."""

    wakes: tuple[Wake, ...]
    next_due_ms: int | None


@Verb
def claim(command: ClaimWakes, *, by: Actor) -> Claimed:
    """Due agents, each to this caller alone, until its lease lapses. Each is checked against
    the log before it is trusted (S2:38); budgets that are used up are told to a person.
    """
    agent, now, wakes, wrote = require_runtime(by), now_ms(), list[Wake](), False
    while left := command.limit - len(wakes):
        found = due.due(agent, now, command.presets, left)
        for session_id, due_at_ms in found:
            if wake := _claim(session_id, due_at_ms, command, by, now):
                wakes.append(wake)
        wrote = wrote or bool(found)
        if len(found) < left:
            break
    if wakes:
        writer.after_commit(partial(metrics.CLAIMS.labels("wake").inc, len(wakes)))
        failpoints.reach_after_commit("after_claim")
        return Claimed(tuple(wakes), None)
    nothing = Claimed((), due.next_due(agent, now, command.presets))
    if wrote:
        return nothing
    raise Unchanged(nothing)


def _claim(
    session_id: str, due_at_ms: int, command: ClaimWakes, by: Actor, now: int
) -> Wake | None:
    """The claim of one candidate; None when it is not to be had, and then it is no candidate
    any more.
    """
    try:
        row = beside.lock_row(session_id, by.agent)
    except ProcessNotFound:
        sleepers.forget(session_id)
        return None
    except UnknownState:
        sleepers.postpone(session_id, due_at_ms, now + LATER_MS)
        return None
    if beside.is_leased(row, now):
        sleepers.postpone(session_id, due_at_ms, row.host.lease_until_ms or now)
        return None
    old, recovery = _trusted(row)
    if old is None or beside.has_ended(row):
        sleepers.forget(session_id)
        return None
    if old.due_at_ms is None or old.due_at_ms > now:
        sleepers.keep(row.host.agent, old)
        return None
    if left := left_ms(row, old, now):
        sleepers.postpone(session_id, due_at_ms, now + left)
        return None
    return _admit(row, old, recovery, command, by, now)


def _trusted(row: services.Row) -> tuple[Sleeper | None, Recovery]:
    """The row if it says what the log says; else what the log says (contract D13, D14)."""
    session_id = row.head.id
    found = sleepers.find(session_id)
    old = found.sleeper() if found else None
    recovery = Recovery.KEEP
    if found is None or old is None or not _is_as_written(found):
        old = fold(beside.events(session_id, EVENTS))
        recovery = Recovery.REBUILD
    if old is None:
        return None, Recovery.DISCARD
    place = find_source(row)
    if place is None:
        return None, Recovery.DISCARD
    if recover(old.descriptor, place) is Recovery.REBUILD:
        return replace(old, descriptor=at_source(old.descriptor, place)), Recovery.REBUILD
    return old, recovery


def _is_as_written(found: sleepers.Found) -> bool:
    """Whether the body is, letter by letter, what its event says."""
    text = beside.event_data(found.session_id, found.seq)
    if text is None:
        return False
    # Canonical text in both, and no key of these events sorts before this one.
    if text.startswith((f'{{"descriptor":{found.body},"', f'{{"descriptor":{found.body}}}')):
        return True
    said = json.loads(text).get("descriptor")
    return said is not None and beside.canonical_text(said) == found.body


def _admit(
    row: services.Row,
    old: Sleeper,
    recovery: Recovery,
    command: ClaimWakes,
    by: Actor,
    now: int,
) -> Wake | None:
    interrupted = old.stage is Stage.WAKING
    if interrupted:
        _close(row, old, by, now)
    if budget := spent(old, row.head.steps_used):
        spend(row, old, budget, now)
        return None
    settled = old.settled or _timer(old)
    until = now + command.ttl_s * 1000
    data: dict[str, Any] = {
        "epoch": row.host.lease_epoch + 1,
        "owner": command.owner or by.name,
        "until_ms": until,
        "steps_used": row.head.steps_used,
        "woken_by": settled.as_data(),
    }
    if recovery is Recovery.REBUILD:
        data["descriptor"] = old.descriptor
    seq = beside.note(
        row, "claim", as_noted(data), by, now,
        lease_epoch=data["epoch"], lease_owner=data["owner"], lease_until_ms=until,
    )  # fmt: skip
    new = advance(old, "claim", data, now, seq)
    assert new is not None
    sleepers.keep(row.host.agent, new)
    tell_wakes(row.host.agent)
    decided = row.host.decided and not delivery.left_ms(row, now)
    return Wake(row, new, recovery, interrupted, decided)


def _close(row: services.Row, old: Sleeper, by: Actor, now: int) -> None:
    """A turn that never ended is closed, once, by the next load (contract C02, C05, C08)."""
    data = {
        "epoch": row.host.lease_epoch,
        "claimed_at_ms": old.claimed_at_ms,
        "steps": row.host.stored_steps,
    }
    beside.note(row, "interrupted", data, by, now)
    beside.next_revision(row)


def _timer(old: Sleeper) -> Settled:
    at_ms = old.descriptor.timer_ms
    assert at_ms is not None  # nothing else makes an unsettled sleeper due
    return Settled("timer", at_ms, at_ms)
