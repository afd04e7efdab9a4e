"""What wakes from outside: signals, a person's explicit wake, and what people decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dalhc.clock import now_ms
from descriptors.contract import errors, limits
from descriptors.contract.commands import Signal
from descriptors.contract.cycle import Sleeper, Stage, advance
from descriptors.services.handing import left_ms
from descriptors.services.reading import told
from descriptors.services.settling import hold_keys, require_keys, settled_before
from descriptors.services.topics import tell_wakes
from descriptors.store import signals, sleepers
from processes import services
from processes.services import Actor, beside
from processes.services.actors import SYSTEM, require, require_decider, require_durable
from processes.services.verb import Unchanged, Verb

_AT_ONCE = 100
_EVENT = {
    "decided": "decide",
    "rung": "ring",
    "expired": "expire",
    "taken_back": "take_back",
    "leased": "lease",
    "released": "release",
    "finished": "finish",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """How many a signal woke; `kept` when none sleeps on it yet."""

    settled: int
    kept: bool


@Verb
def signal(command: Signal, *, by: Actor) -> Reached:
    """Settle every sleeper of exactly this key, or keep it for who will (contract W19)."""
    require(by, "wake")
    require_durable()
    reached, now = 0, now_ms()
    data: dict[str, Any] = {"kind": command.kind, "key": command.key}
    if command.payload is not None:
        data["payload"] = command.payload
    signals.lock([(command.kind, command.key)])
    while found := signals.listeners(command.kind, command.key, by.agent, _AT_ONCE):
        for session_id, _ in sorted(found):  # as others lock several
            reached += _reach(session_id, data, by, now)
    if not reached:
        _keep(command, by, now)
    return Reached(reached, kept=not reached)


@Verb
def wake(session_id: str, *, by: Actor) -> Sleeper:
    """A person wakes it, whatever it sleeps on (contract W18). One that is awake, or due
    already, stays as it is.
    """
    require_decider(by)
    if sleepers.find(session_id, by.agent) is None:
        raise errors.DescriptorNotFound
    row, old = beside.lock_row(session_id, by.agent), _standing(session_id)
    if old is None:
        raise errors.DescriptorNotFound
    if old.stage is Stage.WAKING or (old.stage is Stage.SLEEPING and old.settled):
        raise Unchanged(old)
    data = {"kind": "explicit", "key": session_id, "by_person": True}
    return _woken(row, old, data, by, now_ms())


def settle(process_id: str, suspension_id: str | None, kind: str, at_ms: int) -> None:
    """What a decision or an end does to the sleeper, in the deciding transaction itself; its
    event is the decision's own.
    """
    found = sleepers.find(process_id)
    if found is None or kind not in _EVENT:
        return
    old = found.sleeper()
    if old is None:  # the row is no whole one; the log, with this event in it, is
        new = told(found)
    else:
        new = advance(old, _EVENT[kind], {"suspension": suspension_id}, at_ms, old.seq)
    if new is None:
        sleepers.forget(process_id)
    elif new != old:
        sleepers.keep(found.agent, _kept_back(new, at_ms))
        tell_wakes(found.agent)
        if kind == "taken_back":
            _settle_again(process_id, new, at_ms)


def _kept_back(new: Sleeper, at_ms: int) -> Sleeper:
    """Who is woken by a decision is due when that may be handed over."""
    row = beside.find_row(new.descriptor.session_id, None)
    if row is None or new.due_at_ms is None or not (left := left_ms(row, new, at_ms)):
        return new
    return replace(new, due_at_ms=at_ms + left)


def before_settling(process_id: str) -> None:
    """What a taking back may look for is held before its process is locked: a signal from
    outside locks in that order too.
    """
    found = sleepers.find(process_id)
    old = None if found is None else told(found)
    if old is not None:
        hold_keys(old.descriptor.wake_conditions)


def _settle_again(process_id: str, old: Sleeper, at_ms: int) -> None:
    """It sleeps on, and something else may have settled while the decision stood: a signal was
    kept then, for nobody listened.
    """
    if old.stage is not Stage.SLEEPING or old.settled is not None:
        return
    conditions = old.descriptor.wake_conditions
    require_keys(conditions)
    row = beside.lock_row(process_id, None)
    if data := settled_before(row, conditions):
        _woken(row, old, data, SYSTEM, at_ms)


def _reach(session_id: str, data: dict[str, Any], by: Actor, now: int) -> int:
    """One sleeper is woken by this, if it listens still when we have it to ourselves; whatever
    else it slept on is superseded.
    """
    row, old = beside.lock_row(session_id, by.agent), _standing(session_id)
    if old is None:
        sleepers.forget(session_id)
        return 0
    if (data["kind"], data["key"]) not in sleepers.listening(old):
        sleepers.keep(row.host.agent, old)  # and it is not found again
        return 0
    _woken(row, old, data, by, now)
    return 1


def _standing(session_id: str) -> Sleeper | None:
    found = sleepers.find(session_id)
    return None if found is None else told(found)


def _woken(
    row: services.Row, old: Sleeper, data: dict[str, Any], by: Actor, now: int
) -> Sleeper:
    """The event of a wake, and the row it makes."""
    seq = beside.note(row, "wake", data, by, now)
    new = advance(old, "wake", data, now, seq)
    assert new is not None
    sleepers.keep(row.host.agent, new)
    tell_wakes(row.host.agent)
    return new


def _keep(command: Signal, by: Actor, now: int) -> None:
    signals.drop_older(now - limits.KEPT_MS)
    if signals.count(by.agent) >= limits.KEPT_SIGNALS:
        raise errors.TooManySignals
    signals.keep(by.agent, command.kind, command.key, command.text, now)
