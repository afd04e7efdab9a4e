"""The cycle as pure functions: what an event makes of a sleeper, and what a wake may trust.

The log is the sole authority (S2:60): a row of the descriptors' table is `advance` folded over
the events of its process, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from descriptors.contract.record import STORED, Descriptor, LastCommitted
from descriptors.contract.wake import Settled, listens


class Stage(StrEnum):
    """Where an agent stands between two commits."""

    SLEEPING = "sleeping"
    WAKING = "waking"  # claimed: admitted, running, flushing; until commit
    SPENT = "spent"  # a budget is used up; a person decides


class Recovery(StrEnum):
    """What a wake does with the descriptor it finds."""

    KEEP = "keep"
    REBUILD = "rebuild"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a log stands: its incarnation, and the seq of its last journal event."""

    incarnation: str
    seq: int

    @property
    def revision(self) -> str:
        return f"{self.incarnation}:{self.seq}"


@dataclass(frozen=True, slots=True)
class Sleeper:
    """A descriptor and where it stands. `seq` is the event that last wrote the descriptor;
    `due_at_ms` is when it may be claimed (None: only when something settles).
    """

    descriptor: Descriptor
    stage: Stage = Stage.SLEEPING
    settled: Settled | None = None
    due_at_ms: int | None = None
    wakes: int = 0
    wall_ms: int = 0
    steps_from: int | None = None  # steps_used when the budget began
    claimed_at_ms: int | None = None
    rebuilt_at_ms: int | None = None
    seq: int = 0


# The events that move a sleeper; from `decide` on they are the processes' own.
EVENTS = (
    "sleep", "wake", "claim", "commit", "back", "spent", "drop",
    "decide", "ring", "expire", "take_back", "lease", "release", "finish",
)  # fmt: skip


def advance(
    old: Sleeper | None, kind: str, data: dict[str, Any], at_ms: int, seq: int
) -> Sleeper | None:
    """What an event makes of a sleeper; None when none is left."""
    if kind == "sleep":
        return _asleep(old or Sleeper(_read(data)), _read(data), data, at_ms, seq)
    if old is None:
        return None
    match kind:
        case "commit":
            return _asleep(old, _read(data), data, at_ms, seq)
        case "wake":
            return woken(old, _settled(data, at_ms), by_person=data.get("by_person", False))
        case "claim":
            return _claimed(old, data, at_ms, seq)
        case "back":
            return _back(old, at_ms)
        case "spent":
            return replace(old, stage=Stage.SPENT, due_at_ms=None)
        case "decide" | "expire":
            return _decided(old, kind, str(data.get("suspension")), at_ms)
        case "ring" if old.stage is Stage.SPENT:
            return _decided(old, kind, str(data.get("suspension")), at_ms)
        case "take_back":
            return _taken_back(old, str(data.get("suspension")))
        case "lease":
            return _overtaken(old, at_ms)
        case "release":
            return _released(old, at_ms)
        case "drop" | "finish":
            return None
    return old


def fold(events: Iterable[tuple[int, str, dict[str, Any], int]]) -> Sleeper | None:
    """The sleeper a log tells of; events as (seq, kind, data, at_ms), in order."""
    found: Sleeper | None = None
    for seq, kind, data, at_ms in events:
        found = advance(found, kind, data, at_ms, seq)
    return found


def woken(old: Sleeper, by: Settled, *, by_person: bool = False) -> Sleeper:
    """The first settled condition wins; what settles later, or while a runtime has it, changes
    nothing (contract W12). A person's wake begins the budgets anew.
    """
    fresh = replace(old, wakes=0, wall_ms=0, steps_from=None) if by_person else old
    if old.stage is Stage.WAKING or (old.stage is Stage.SPENT and not by_person):
        return fresh
    if old.settled is not None and old.stage is Stage.SLEEPING:
        return fresh
    return replace(fresh, stage=Stage.SLEEPING, settled=by, due_at_ms=by.at_ms)


def recover(descriptor: Descriptor | None, source: Source | None) -> Recovery:
    """Trust a descriptor only where its log stands; any mismatch is made anew from the log
    (S2:38). Without a log there is nothing to wake.
    """
    if source is None:
        return Recovery.DISCARD
    if descriptor is None or descriptor.last_committed.source_revision != source.revision:
        return Recovery.REBUILD
    return Recovery.KEEP


def spent(sleeper: Sleeper, steps_used: int) -> str | None:
    """The budget that is used up, by its name; None while there is some left of each."""
    budget = sleeper.descriptor.budget_state
    if sleeper.wakes >= budget.max_consecutive_wakes:
        return "max_consecutive_wakes"
    used = 0 if sleeper.steps_from is None else steps_used - sleeper.steps_from
    if budget.max_steps is not None and used >= budget.max_steps:
        return "max_steps"
    if budget.max_wall_ms is not None and sleeper.wall_ms >= budget.max_wall_ms:
        return "max_wall_ms"
    return None


def at_source(descriptor: Descriptor, source: Source) -> Descriptor:
    """The descriptor moved to where its log stands; the turn that was open is what it names."""
    return descriptor.standing_at(
        LastCommitted(
            source_revision=source.revision,
            seq_watermark=source.seq,
            turn_id=descriptor.last_committed.turn_id,
        )
    )


def _asleep(
    old: Sleeper, descriptor: Descriptor, data: dict[str, Any], at_ms: int, seq: int
) -> Sleeper:
    settled = _settled(data["settled"], at_ms) if data.get("settled") else None
    return replace(
        old,
        descriptor=descriptor,
        stage=Stage.SLEEPING,
        settled=settled,
        due_at_ms=at_ms if settled else descriptor.timer_ms,
        wall_ms=old.wall_ms + _ran(old, at_ms),
        claimed_at_ms=None,
        rebuilt_at_ms=None,
        seq=seq,
    )


def _claimed(old: Sleeper, data: dict[str, Any], at_ms: int, seq: int) -> Sleeper:
    by = data["woken_by"]
    settled = Settled(by["kind"], by["key"], by["at_ms"], by.get("payload"))
    new = replace(
        old,
        stage=Stage.WAKING,
        settled=settled,
        due_at_ms=data["until_ms"],
        wakes=old.wakes + 1,
        wall_ms=old.wall_ms + _ran(old, at_ms),
        steps_from=data["steps_used"] if old.steps_from is None else old.steps_from,
        claimed_at_ms=at_ms,
    )
    if "descriptor" not in data:
        return new
    return replace(new, descriptor=_read(data), rebuilt_at_ms=at_ms, seq=seq)


def _back(old: Sleeper, at_ms: int) -> Sleeper:
    """Sleeps again unchanged: what woke it is still settled, so it is due at once."""
    return replace(
        old,
        stage=Stage.SLEEPING,
        due_at_ms=_due(old),
        wall_ms=old.wall_ms + _ran(old, at_ms),
        claimed_at_ms=None,
    )


def _overtaken(old: Sleeper, at_ms: int) -> Sleeper:
    """Another took the lease of a claim that had lapsed: that turn was cut off, and the next
    claim closes it.
    """
    if old.stage is not Stage.WAKING:
        return old
    return replace(old, wall_ms=old.wall_ms + _ran(old, at_ms), claimed_at_ms=None)


def _released(old: Sleeper, at_ms: int) -> Sleeper:
    """The lease is given back, so nothing waits for its lapse: a claim ends as by `back`, and
    what a lease had put off is due when it was before.
    """
    match old.stage:
        case Stage.SPENT:
            return old
        case Stage.WAKING if old.claimed_at_ms is None:  # by another than who has claimed
            return replace(old, due_at_ms=at_ms)
        case Stage.WAKING:
            return _back(old, at_ms)
        case Stage.SLEEPING:
            return replace(old, due_at_ms=_due(old))


def _due(old: Sleeper) -> int | None:
    """When it may be claimed while it sleeps."""
    return old.settled.at_ms if old.settled else old.descriptor.timer_ms


def _decided(old: Sleeper, kind: str, suspension: str, at_ms: int) -> Sleeper:
    """A decision wakes its agent: as `human` where it slept on that, as `explicit` where a
    person just lets it go on. An expiry is nobody's act, so budgets go on.
    """
    human = listens(old.descriptor.wake_conditions, "human", suspension)
    by = Settled("human" if human else "explicit", suspension, at_ms)
    return woken(old, by, by_person=kind != "expire")


def _taken_back(old: Sleeper, suspension: str) -> Sleeper:
    settled = old.settled
    if old.stage is not Stage.SLEEPING or settled is None or settled.key != suspension:
        return old
    bare = replace(old, settled=None)
    return replace(bare, due_at_ms=_due(bare))


def _ran(old: Sleeper, at_ms: int) -> int:
    """Wall time of a claim that ends now; clocks may go back."""
    return 0 if old.claimed_at_ms is None else max(0, at_ms - old.claimed_at_ms)


def _read(data: dict[str, Any]) -> Descriptor:
    found = data["descriptor"]
    if isinstance(found, Descriptor):
        return found
    return Descriptor.model_validate(found, context=STORED)


def _settled(data: dict[str, Any], at_ms: int) -> Settled:
    return Settled(data["kind"], data["key"], at_ms, data.get("payload"))
