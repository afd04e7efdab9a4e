"""Several at once: one decision each, each with its own outcome; what has changed since it was
seen is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalhc.db.refusals import StorageRefusal
from dalhc.problems import Problem
from processes import policy
from processes.journal.bulk import Bulk, Item
from processes.services.actors import Actor, Forbidden, require_decider
from processes.services.writeback import decide
from processes.store import suspensions


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
    return [_one(command, item, by) for item in command.items]


def _one(command: Bulk, item: Item, by: Actor) -> Outcome:
    try:
        stop = suspensions.get(item.id, by.agent)
        if refusal := policy.bulk_refusal(stop, command.action):
            raise Forbidden(refusal)
        decide(item.id, command.choice(item), by=by)
    except StorageRefusal:
        raise
    except Problem as problem:
        return Outcome(item.id, problem)
    return Outcome(item.id)
