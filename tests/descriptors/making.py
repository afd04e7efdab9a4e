"""Sleeping agents as tests want them, made by the services."""

from __future__ import annotations

from typing import Any

from descriptors import services
from descriptors.contract.commands import ClaimWakes, Commit, GiveBack, Signal, Sleep
from descriptors.contract.cycle import Sleeper
from descriptors.services import Claimed, Wake
from tests.making import AGENT, Made, make_process, runtime_actor

DAY = 86_400_000
FAR = 4_000_000_000_000  # the year 2096


def timer(at_ms: int) -> dict[str, Any]:
    return {"kind": "timer", "key": at_ms}


def on(kind: str, key: str) -> dict[str, Any]:
    return {"kind": kind, "key": key}


def body(made: Made, *conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole descriptor that stands where the log does."""
    return {
        "session_id": made.id,
        "format_version": 1,
        "agent_preset_id": "tidy",
        "execution_world": {"cwd": "/home/mia/letters", "env_class": "host"},
        "wake_conditions": list(conditions) or [timer(FAR)],
        "budget_state": {"max_consecutive_wakes": 100},
        "last_committed": committed(made),
    } | more


def committed(made: Made, turn_id: str = "turn-1") -> dict[str, Any]:
    place = services.source(made.id, by=made.by)
    return {
        "source_revision": place.revision,
        "seq_watermark": place.seq,
        "turn_id": turn_id,
    }


def sleep(made: Made, *conditions: dict[str, Any], **more: Any) -> Sleeper:
    return services.sleep(Sleep.model_validate(body(made, *conditions, **more)), by=made.by)


def asleep(*conditions: dict[str, Any], agent: str = AGENT, **process: Any) -> Made:
    """A process (running unless told otherwise) that sleeps on these."""
    process = process or {"running": True}
    made = make_process(agent=agent, **process)
    sleep(made, *conditions)
    return made


def due(agent: str = AGENT, **process: Any) -> Made:
    """One that is due since long."""
    return asleep(timer(1), agent=agent, **process)


def claim(agent: str = AGENT, **command: Any) -> Claimed:
    return services.claim(ClaimWakes(**command), by=runtime_actor(agent))


def one(agent: str = AGENT, **command: Any) -> Wake:
    """The one that is due."""
    (wake,) = claim(agent, **command).wakes
    return wake


def commit(made: Made, epoch: int, *conditions: dict[str, Any], **more: Any) -> Sleeper:
    said = {
        "lease_epoch": epoch,
        "wake_conditions": list(conditions) or [timer(FAR)],
        "last_committed": committed(made),
    } | more
    return services.commit(made.id, Commit.model_validate(said), by=made.by)


def give_back(made: Made, epoch: int) -> Sleeper:
    return services.give_back(made.id, GiveBack(lease_epoch=epoch), by=made.by)


def signal(key: str, kind: str = "wait-provider", agent: str = AGENT, **more: Any) -> Any:
    return services.signal(Signal(kind=kind, key=key, **more), by=runtime_actor(agent))
