"""Several at once: one decision each, each with its own outcome; what has changed since it was
seen is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched

from dalhc.db import writer
from dalhc.db.refusals import StorageRefusal
from dalhc.problems import Problem
from processes import policy
from processes.journal.bulk import Bulk, Item
from processes.models import Suspension
from processes.services import decisions, expiry
from processes.services.actors import Actor, Forbidden, require_decider
from processes.services.verb import result_of
from processes.services.writeback import decide, in_its_file
from processes.store import suspensions

TOGETHER = 20  # written with one commit, so that others get their turn in between


@dataclass(frozen=True, slots=True)
class Outcome:
    """`problem` says why it was left as it is; None when it was done."""

    id: str
    problem: Problem | None = None


def decide_many(command: Bulk, *, by: Actor) -> list[Outcome]:
    """An outcome for each item, in its order. Raises Forbidden when none of them may be, and
    a StorageRefusal as soon as one says so: the same request may be sent again.
    """
    require_decider(by)
    if writer.is_writing():  # with an Idempotency-Key all of it is one write already
        return [_outcome(one, partial(_alone, command, one, by)) for one in command.items]
    found: list[Outcome] = []
    for items in batched(command.items, TOGETHER):
        found += _together(command, items, by)
    return found


def _together(command: Bulk, items: Sequence[Item], by: Actor) -> list[Outcome]:
    """All of them are handed to the writer before the first is waited for."""
    begun: list[tuple[Item, Callable[[], object]]] = []
    for item in items:
        try:
            begun.append((item, _begin(command, item, by)))
        except Problem as problem:
            begun.append((item, partial(_refuse, problem)))
    return [_outcome(item, wait) for item, wait in begun]


def _begin(command: Bulk, item: Item, by: Actor) -> Callable[[], object]:
    """Raises what is known of it before it is written; call what comes back for the rest."""
    _require(command, item, by)
    future = decisions.decide_once.submit(item.id, command.choice(item), by=by)

    def decided(_: str) -> Suspension:
        return result_of(future)

    return lambda: in_its_file(expiry.in_time(decided, item.id))


def _alone(command: Bulk, item: Item, by: Actor) -> object:
    _require(command, item, by)
    return decide(item.id, command.choice(item), by=by)


def _require(command: Bulk, item: Item, by: Actor) -> None:
    stop = suspensions.get(item.id, by.agent)
    if refusal := policy.bulk_refusal(stop, command.action):
        raise Forbidden(refusal)


def _refuse(problem: Problem) -> object:
    raise problem


def _outcome(item: Item, decided: Callable[[], object]) -> Outcome:
    try:
        decided()
    except StorageRefusal:
        raise
    except Problem as problem:
        return Outcome(item.id, problem)
    return Outcome(item.id)
