"""Putting agents to sleep, waking them by signals, and claiming what is due (api.md)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from dalhc.client.errors import Json
from dalhc.client.models import Asleep, Claimed, Reached, Source
from dalhc.client.wire import Wire, given, part

if TYPE_CHECKING:
    from dalhc.client.client import Client
    from dalhc.client.wake import Wake

LONG_POLL = 25

type Condition = dict[str, str | int]


class WakeBudget(TypedDict, total=False):
    """How much it may use until a person acts: wakes in a row, steps, milliseconds."""

    max_consecutive_wakes: int
    max_steps: int
    max_wall_ms: int


def timer(at_ms: int) -> Condition:
    """Wake at or after this Unix millisecond."""
    return {"kind": "timer", "key": at_ms}


def human(suspension_id: str) -> Condition:
    """Wake when a person has decided this suspension."""
    return {"kind": "human", "key": suspension_id}


def wait_provider(key: str) -> Condition:
    """Wake when something outside signals exactly this key."""
    return {"kind": "wait-provider", "key": key}


def explicit(key: str) -> Condition:
    """Wake when someone asks for it by this key."""
    return {"kind": "explicit", "key": key}


class Sleepers:
    """The verbs of sleeping and waking, over a `Wire`."""

    _wire: Wire

    def source(self, id: str) -> Source:
        """Flush: everything written up to here is on the server's disk."""
        return Source.model_validate(self._wire.get(f"{_one(id)}/source"))

    def put_to_sleep(
        self,
        id: str,
        *conditions: Condition,
        preset: str,
        cwd: str,
        env_class: str = "host",
        turn_id: str = "turn-0",
        budget: WakeBudget | None = None,
        lease_epoch: int | None = None,
    ) -> Asleep:
        """The process sleeps until any of the conditions settles. Flushes first."""
        body: Json = {
            "session_id": id,
            "format_version": 1,
            "agent_preset_id": preset,
            "execution_world": {"cwd": cwd, "env_class": env_class},
            "lease_epoch": lease_epoch,
            **dormancy(self.source(id), conditions, turn_id, budget),
        }
        return Asleep.model_validate(self._wire.put(_one(id), given(body)))

    def sleeper(self, id: str) -> Asleep:
        """How it sleeps. Raises NotFound when it does not."""
        return Asleep.model_validate(self._wire.get(_one(id)))

    def forget(self, id: str) -> None:
        """It sleeps no more; its process stays."""
        self._wire.delete(_one(id))

    def signal(
        self, key: str, *, kind: str = "wait-provider", payload: Json | None = None
    ) -> Reached:
        """Wake what sleeps on exactly this key, or keep it for who will."""
        body = {"kind": kind, "key": key, "payload": payload}
        return Reached.model_validate(self._wire.post("signals", given(body)))

    def claim(
        self,
        presets: Sequence[str] | None = None,
        *,
        limit: int = 1,
        ttl_s: int = 60,
        owner: str | None = None,
        wait: int = 0,
    ) -> tuple[Claimed, ...]:
        """What is due, each for this caller alone; waits up to `wait` (30 at most) seconds."""
        body = {
            "presets": None if presets is None else [*presets],
            "limit": limit,
            "ttl_s": ttl_s,
            "owner": owner,
        }
        reply = self._wire.post_and_wait("wakes/claim", given(body), wait)
        return tuple(map(Claimed.model_validate, reply["results"]))

    def commit(
        self,
        id: str,
        lease_epoch: int,
        *conditions: Condition,
        turn_id: str,
        budget: WakeBudget | None = None,
    ) -> Asleep:
        """Flush, then sleep again on these. Raises Fenced when another has claimed it."""
        said = dormancy(self.source(id), conditions, turn_id, budget)
        reply = self._wire.post(f"{_one(id)}/commit", said | {"lease_epoch": lease_epoch})
        return Asleep.model_validate(reply)

    def give_back(self, id: str, lease_epoch: int) -> Asleep:
        """Let go without a commit; it is due again at once."""
        reply = self._wire.post(f"{_one(id)}/release", {"lease_epoch": lease_epoch})
        return Asleep.model_validate(reply)

    def wakes(
        self,
        presets: Sequence[str] | None = None,
        *,
        ttl_s: int = 60,
        wait: int = LONG_POLL,
        until: threading.Event | None = None,
    ) -> Iterator[Wake]:
        """Due agents one after another, for ever or until the event is set.

        Each is entered with `with`, which keeps its claim alive; one that is left without a
        commit is given back.
        """
        from dalhc.client.wake import Wake, owner_name

        owner = owner_name()
        while until is None or not until.is_set():
            for claimed in self.claim(presets, ttl_s=ttl_s, owner=owner, wait=wait):
                yield Wake(cast("Client", self), claimed, ttl_s)


def dormancy(
    source: Source, conditions: Sequence[Condition], turn_id: str, budget: WakeBudget | None
) -> dict[str, Any]:
    """What a descriptor says about sleeping, standing where the flush says."""
    return {
        "wake_conditions": [*conditions],
        **({} if budget is None else {"budget_state": budget}),
        "last_committed": {
            "source_revision": source.source_revision,
            "seq_watermark": source.seq_watermark,
            "turn_id": turn_id,
        },
    }


def _one(id: str) -> str:
    return f"descriptors/{part(id)}"
