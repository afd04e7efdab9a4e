"""What wakes from outside: signals, a person's explicit wake, and what people decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalhc.clock import now_ms
from descriptors.contract import errors, limits
from descriptors.contract.commands import Signal
from descriptors.contract.cycle import EVENTS, Sleeper, Stage, advance, fold
from descriptors.services.topics import tell_wakes
from descriptors.store import signals, sleepers
from processes.services import Actor, beside
from processes.services.actors import require, require_decider
from processes.services.verb import Unchanged, Verb

_AT_ONCE = 100
_EVENT = {
    "decided": "decide",
    "expired": "expire",
    "taken_back": "take_back",
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
    reached, now = 0, now_ms()
    data: dict[str, Any] = {"kind": command.kind, "key": command.key}
    if command.payload is not None:
        data["payload"] = command.payload
    while found := signals.listeners(command.kind, command.key, by.agent, _AT_ONCE):
        for session_id, _ in found:
            reached += _wake(session_id, data, by, now)
    if not reached:
        _keep(command, by, now)
    return Reached(reached, kept=not reached)


@Verb
def wake(session_id: str, *, by: Actor) -> Sleeper:
    """A person wakes it, whatever it sleeps on (contract W18). One that is awake, or due
    already, stays as it is.
    """
    require_decider(by)
    found = sleepers.find(session_id, by.agent)
    old = found.sleeper() if found else None
    if old is None:
        raise errors.DescriptorNotFound
    if old.stage is Stage.WAKING or (old.stage is Stage.SLEEPING and old.settled):
        raise Unchanged(old)
    data = {"kind": "explicit", "key": session_id, "by_person": True}
    _wake(session_id, data, by, now_ms())
    new = sleepers.find(session_id)
    return (new and new.sleeper()) or old


def settle(process_id: str, suspension_id: str | None, kind: str, at_ms: int) -> None:
    """What a decision or an end does to the sleeper, in the deciding transaction itself; its
    event is the decision's own.
    """
    found = sleepers.find(process_id)
    if found is None or kind not in _EVENT:
        return
    old = found.sleeper()
    if old is None:  # the row is no whole one; the log, with this event in it, is
        new = fold(beside.events(process_id, EVENTS))
    else:
        new = advance(old, _EVENT[kind], {"suspension": suspension_id}, at_ms, old.seq)
    if new is None:
        sleepers.forget(process_id)
    elif new != old:
        sleepers.keep(found.agent, new)
        tell_wakes(found.agent)


def _wake(session_id: str, data: dict[str, Any], by: Actor, now: int) -> int:
    """One sleeper is woken by this; whatever else it slept on is superseded."""
    row = beside.lock_row(session_id, by.agent)
    found = sleepers.find(session_id)
    old = found.sleeper() if found else None
    if old is None:
        sleepers.forget(session_id)
        return 0
    seq = beside.note(row, "wake", data, by, now)
    new = advance(old, "wake", data, now, seq)
    assert new is not None
    sleepers.keep(row.host.agent, new)
    tell_wakes(row.host.agent)
    return 1


def _keep(command: Signal, by: Actor, now: int) -> None:
    signals.drop_older(now - limits.KEPT_MS)
    if signals.count(by.agent) >= limits.KEPT_SIGNALS:
        raise errors.TooManySignals
    signals.keep(by.agent, command.kind, command.key, command.text, now)
