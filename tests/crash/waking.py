"""A program whose children wake agents and are killed at named failpoints, or paused past
their lease.

`kill N` kills N at each failpoint, `pause N` pauses N. It prints one line of JSON about what
was found, and fails on the first descriptor that is ahead of its log.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from dalhc.clock import now_ms  # noqa: E402
from dalhc.db import failpoints, writer  # noqa: E402
from dalhc.db.failpoints import NAMES, Failpoint  # noqa: E402
from dalhc.problems import Problem  # noqa: E402
from descriptors import services  # noqa: E402
from descriptors.services import Wake  # noqa: E402
from processes.models import Event, Step  # noqa: E402
from processes.services.verifying import verify_chains  # noqa: E402
from tests.descriptors import making  # noqa: E402
from tests.making import Made, append  # noqa: E402

LEASE_S = 1
TOGETHER = 10  # agents of one round
PAUSED = 50


@dataclass
class Agent:
    """One that is woken, and the claim that died with its runtime."""

    made: Made
    body: str
    until_ms: int = 0


def kill(count: int) -> dict[str, Any]:
    """What each failpoint left, every different state once, and how late a claim came back."""
    left: dict[str, list[Any]] = {}
    late = 0
    for name in NAMES:
        seen = set[str]()
        for _ in range(0, count, TOGETHER):
            agents = [_agent() for _ in range(TOGETHER)]
            dead = list[Agent]()
            for agent in agents:
                _kill_at(name, agent)
                dead.append(agent)
                late = max(late, _look(dead, seen))
            late = max(late, _again(dead, seen))
        left[name] = [json.loads(one) for one in sorted(seen)]
    return {"left": left, "late_ms": late, "overlaps": _overlaps()}


def pause(count: int) -> dict[str, Any]:
    """What became of the writes of holders who slept past their lease."""
    said, changed = set[str](), 0
    for _ in range(0, count, PAUSED):
        changed += _paused(said)
    return {"said": sorted(said), "changed": changed, "overlaps": _overlaps()}


def _paused(codes: set[str]) -> int:
    """One round; how many processes their late writes have changed."""
    agents = [_agent() for _ in range(PAUSED)]
    children = [_child(lambda tell, made=agent.made: _late(made, tell)) for agent in agents]
    for child, pipe in children:
        assert _line(pipe) == "claimed"
        os.waitpid(child, os.WUNTRACED)
    _again(list(agents))
    before = [_written(agent.made) for agent in agents]
    for child, _ in children:
        os.kill(child, signal.SIGCONT)
    for child, pipe in children:
        codes.update(json.loads(_line(pipe)))
        os.waitpid(child, 0)
        os.close(pipe)
    assert services.check() == []
    return sum(_written(agent.made) != old for agent, old in zip(agents, before, strict=True))


def _agent() -> Agent:
    """Due, one committed step behind it, and known to a claim by an agent of its own."""
    name = f"agent-{time.monotonic_ns()}"
    made = making.due(agent=name, steps=1)
    return Agent(made, services.sleeper(made.id, by=made.by).body)


def _kill_at(name: Failpoint, agent: Agent) -> None:
    child, pipe = _child(lambda tell: _run(agent.made, name, tell))
    assert _line(pipe) == name
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(pipe)
    agent.until_ms = agent.made.row.host.lease_until_ms or 0
    assert services.check() == [], name
    if name == "after_claim":
        assert services.sleeper(agent.made.id, by=agent.made.by).body == agent.body


def _run(made: Made, name: Failpoint, tell: Callable[[str], None]) -> None:
    """One whole wake; it stops at the failpoint and waits there to be killed."""

    def stop(reached: Failpoint) -> None:
        if reached == name:
            tell(reached)
            signal.pause()

    failpoints.hook = stop
    _cycle(made, making.one(made.agent, ttl_s=LEASE_S))
    tell("the failpoint was never reached")


def _cycle(made: Made, wake: Wake) -> None:
    append(made, args={"n": "woken"}, lease_epoch=wake.row.host.lease_epoch)
    making.commit(made, wake.row.host.lease_epoch)


def _late(made: Made, tell: Callable[[str], None]) -> None:
    """Claims, is stopped, and writes when it goes on as if nothing had been."""
    epoch = making.one(made.agent, ttl_s=LEASE_S).row.host.lease_epoch
    tell("claimed")
    os.kill(os.getpid(), signal.SIGSTOP)
    late: list[Callable[[], Any]] = [
        lambda: append(made, args={"n": "late"}, lease_epoch=epoch),
        lambda: making.commit(made, epoch),
        lambda: making.give_back(made, epoch),
    ]
    tell(json.dumps([_code(write) for write in late]))


def _code(write: Callable[[], Any]) -> str:
    try:
        write()
    except Problem as refused:
        return str(refused.code)
    return "accepted"


def _again(dead: list[Agent], seen: set[str] | None = None) -> int:
    """Claim each; the longest after its lease that one was still refused."""
    late, deadline = 0, time.monotonic() + LEASE_S + 30
    while dead:
        assert time.monotonic() < deadline, f"stuck: {[agent.made.id for agent in dead]}"
        late = max(late, _look(dead, seen))
        time.sleep(0.01)
    return late


def _look(dead: list[Agent], seen: set[str] | None) -> int:
    """Claim those that may be had, and leave them out from now on."""
    late = 0
    for agent in list(dead):
        asked_ms = now_ms()
        wakes = making.claim(agent.made.agent, ttl_s=60).wakes
        if not wakes:
            late = max(late, asked_ms - agent.until_ms)
        for wake in wakes:
            dead.remove(agent)
            if seen is not None:
                seen.add(json.dumps(_left(agent.made, wake)))
    return late


def _left(made: Made, wake: Wake) -> dict[str, Any]:
    """What the second claim found, and that a second dispatch does no harm."""
    stored = Step.objects.filter(process_id=made.id).count()
    _cycle(made, wake)
    assert Step.objects.filter(process_id=made.id).count() == 2
    assert made.kinds.count("interrupted") == 1
    assert services.check() == []
    services.drop(made.id, by=made.by)  # and each check looks only at who is left
    return {
        "steps": stored,
        "recovery": str(wake.recovery),
        "interrupted": wake.interrupted,
        "epoch": wake.row.host.lease_epoch,
    }


def _written(made: Made) -> tuple[int, list[str]]:
    return made.row.host.revision, made.kinds


def _overlaps() -> int:
    """Claims that began while an earlier one of the same agent still lived."""
    found, until = 0, dict[str, int]()
    for process_id, kind, data, at_ms in Event.objects.order_by(
        "process_id", "seq"
    ).values_list("process_id", "kind", "data", "at_ms"):
        if kind in {"commit", "back"}:
            until.pop(process_id, None)
        if kind == "claim":
            found += at_ms < until.get(process_id, 0)
            until[process_id] = json.loads(data)["until_ms"]
    return found


def _child(work: Callable[[Callable[[str], None]], None]) -> tuple[int, int]:
    """A process of its own with connections of its own; its id, and what it tells."""
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        writer.start()
        work(lambda line: (os.write(writing, f"{line}\n".encode()), None)[1])
    except BaseException as error:
        os.write(writing, f"{error!r}\n".encode())
    os._exit(0)


def _line(pipe: int) -> str:
    """The next line; raises when none comes."""
    text = b""
    while not text.endswith(b"\n"):
        assert select.select([pipe], [], [], 60)[0], "a child says nothing"
        read = os.read(pipe, 1)
        assert read, f"a child ended after {text!r}"
        text += read
    return text.decode().strip()


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    print(json.dumps({"kill": kill, "pause": pause}[sys.argv[1]](int(sys.argv[2]))))
    with connection.cursor() as cursor:
        verify_chains(lambda sql: cursor.execute(sql).fetchall())
