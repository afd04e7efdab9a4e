"""Putting an agent to sleep, and letting it be forgotten."""

from __future__ import annotations

from typing import Any

from dalhc.clock import now_ms
from dalhc.db import failpoints
from descriptors.contract import errors
from descriptors.contract.commands import Commit, GiveBack, Sleep
from descriptors.contract.cycle import Sleeper, Stage, advance
from descriptors.contract.record import Descriptor
from descriptors.services.places import as_noted, check_place, require_runtime
from descriptors.services.reading import told, whole
from descriptors.services.settling import hold_keys, settled_before
from descriptors.services.topics import tell_wakes
from descriptors.store import sleepers
from processes import services
from processes.services import Actor, beside
from processes.services.verb import Unchanged, Verb


@Verb
def sleep(command: Sleep, *, by: Actor) -> Sleeper:
    """Put the agent to sleep on any of its conditions (contract D01-D22); the same again
    changes nothing, whatever has settled since. What has settled already makes it due at once.
    """
    require_runtime(by)
    hold_keys(command.wake_conditions)
    row = _locked(command.session_id, by, command.lease_epoch)
    old = _sleeper(command.session_id)
    descriptor = command.descriptor
    check_place(descriptor.last_committed, row, old)
    if old and old.stage is Stage.SLEEPING and old.descriptor.text == descriptor.text:
        row.host.revision -= 1
        raise Unchanged(old)
    return _slept(row, "sleep", old, descriptor, {}, by)


@Verb
def commit(session_id: str, command: Commit, *, by: Actor) -> Sleeper:
    """Sleep again after a flush: atomic, fenced, never ahead of the log (S2:47-51)."""
    require_runtime(by)
    hold_keys(command.wake_conditions)
    row = _locked(session_id, by, command.lease_epoch)
    old = _sleeper(session_id)
    if old is None:
        raise errors.DescriptorNotFound
    if old.stage is not Stage.WAKING:
        raise errors.NotClaimed(current={"stage": str(old.stage)})
    check_place(command.last_committed, row, old)
    descriptor = old.descriptor.with_(command)
    return _slept(row, "commit", old, descriptor, {"epoch": command.lease_epoch}, by)


@Verb
def give_back(session_id: str, command: GiveBack, *, by: Actor) -> Sleeper:
    """Without a commit: unchanged, and still due, for what woke it has still settled."""
    require_runtime(by)
    row = _locked(session_id, by, command.lease_epoch)
    old = _sleeper(session_id)
    if old is None:
        raise errors.DescriptorNotFound
    if old.stage is not Stage.WAKING:
        raise errors.NotClaimed(current={"stage": str(old.stage)})
    return _noted(row, "back", old, {"epoch": command.lease_epoch}, by, **_FREE)


@Verb
def drop(session_id: str, *, by: Actor) -> Sleeper:
    """Forget that it sleeps, and give back what was forgotten; the process stays as it is.
    Raises StillClaimed while a runtime has its wake.
    """
    require_runtime(by)
    if sleepers.find(session_id, by.agent) is None:
        raise errors.DescriptorNotFound
    row = beside.lock_row(session_id, by.agent, by.expected)
    found = sleepers.find(session_id, by.agent)  # as it is now: it may have been claimed
    if found is None:
        raise errors.DescriptorNotFound
    if found.stage == Stage.WAKING and beside.is_leased(row, now_ms()):
        raise errors.StillClaimed(current={"lease_epoch": row.host.lease_epoch})
    was = whole(found)
    beside.note(row, "drop", {}, by, now_ms())
    sleepers.forget(session_id)
    return was


# Who sleeps holds no lease (contract W07).
_FREE: dict[str, Any] = {"lease_owner": None, "lease_until_ms": None}


def _locked(session_id: str, by: Actor, epoch: int | None) -> services.Row:
    row = beside.lock_row(session_id, by.agent, by.expected)
    beside.check_epoch(row, epoch)
    if beside.has_ended(row):
        raise errors.NothingToSleepFor(current={"state": row.head.state})
    return row


def _sleeper(session_id: str) -> Sleeper | None:
    found = sleepers.find(session_id)
    return None if found is None else told(found)


def _slept(
    row: services.Row,
    kind: str,
    old: Sleeper | None,
    descriptor: Descriptor,
    data: dict[str, Any],
    by: Actor,
) -> Sleeper:
    data = data | {"descriptor": descriptor}
    if settled := settled_before(row, descriptor.wake_conditions):
        data["settled"] = settled
    return _noted(row, kind, old, data, by, **_FREE)


def _noted(
    row: services.Row,
    kind: str,
    old: Sleeper | None,
    data: dict[str, Any],
    by: Actor,
    **host: Any,
) -> Sleeper:
    """The event, and the row it makes, in one transaction."""
    now = now_ms()
    seq = beside.note(row, kind, as_noted(data), by, now, **host)
    failpoints.reach("after_wait_commit")
    new = advance(old, kind, data, now, seq)
    assert new is not None
    sleepers.keep(row.host.agent, new)
    tell_wakes(row.host.agent)
    return new
