"""The replies, from what the services give back."""

from __future__ import annotations

from typing import Any

from descriptors.contract.cycle import Sleeper
from descriptors.contract.wake import Settled
from descriptors.services import Claimed, Reached, Wake
from processes.api import replies
from processes.api.replies import when
from processes.services import head_action


def sleeper(agent: str, found: Sleeper) -> dict[str, Any]:
    """A SleeperReply."""
    return {
        "descriptor": found.descriptor.model_dump(),
        "agent": agent,
        "stage": found.stage,
        "due_at": when(found.due_at_ms),
        "woken_by": None if found.settled is None else _settled(found.settled),
        "used": {"wakes": found.wakes, "wall_ms": found.wall_ms},
        "rebuilt_at": when(found.rebuilt_at_ms),
    }


def wakes(claimed: Claimed) -> dict[str, Any]:
    """A WakesReply."""
    return {
        "results": [_wake(one) for one in claimed.wakes],
        "next_due": when(claimed.next_due_ms),
    }


def signal(reached: Reached) -> dict[str, Any]:
    """A SignalReply."""
    return {"settled": reached.settled, "kept": reached.kept}


def _wake(wake: Wake) -> dict[str, Any]:
    settled = wake.sleeper.settled
    assert settled is not None  # a claim names what woke it
    # A decision that is kept back is none yet, wherever the reply speaks of it.
    now = {
        "next_action": head_action(wake.row.head, wake.decided),
        "decided": wake.decided,
    }
    return {
        "descriptor": wake.sleeper.descriptor.model_dump(),
        "record": replies.head(wake.row) | now,
        "lease_epoch": wake.row.host.lease_epoch,
        "lease_until": when(wake.row.host.lease_until_ms),
        **now,
        "woken_by": _settled(settled),
        "recovery": wake.recovery,
        "interrupted": wake.interrupted,
    }


def _settled(settled: Settled) -> dict[str, Any]:
    return {
        "kind": settled.kind,
        "key": settled.key,
        "at": when(settled.at_ms),
        "payload": settled.payload,
    }
