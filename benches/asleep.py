"""Thirty agents that mostly wait, for timers and for answers: each alive in a process of its
own all the while, and asleep in the database with two workers to wake them.

The processor's time and the memory are those of the server, the agents and the workers
together, from the first agent's beginning to the last one's end.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

from benches import asleep_agents
from benches.common import Target, machine_line, settled
from benches.served import Served, cpu_of, rss_kib, served
from dalhc.client import Client

AGENTS, WORKERS, TRIALS = 30, 2, 3
ANSWER_S = 3.0  # what a question waits for its answer
WITHIN_S = 90.0
LOOK_S = 0.1
_runs = count()


@dataclass(frozen=True)
class Cost:
    """Of one trial. Memory is what all hold together, in the mean over the time and at most."""

    seconds: float
    cpu_seconds: float
    rss_mib: float
    most_mib: float


Way = Callable[[Served, Client], "Cost"]


def main() -> int:
    ways: dict[str, Way] = {"always alive": alive, "asleep": asleep}
    try:
        found: dict[str, list[Cost]] = {name: [] for name in ways}
        for _ in range(TRIALS):
            for name, way in ways.items():
                with served() as server, _client(server, server.runtime_key) as client:
                    found[name].append(way(server, client))
    except Exception:
        traceback.print_exc()
        print("asleep: failed, nothing kept", file=sys.stderr)
        return 1
    told = {name: summary(costs) for name, costs in found.items()}
    reached = targets(told)
    show(told)
    return settled("asleep", reached, {"agents": AGENTS, "workers": WORKERS, **told})


def alive(server: Served, client: Client) -> Cost:
    """A process for each agent."""
    ids = _names("alive")
    with programs(server, [("live", id) for id in ids]) as (pids, begin):
        return measured(server, client, pids, ids, begin)


def asleep(server: Served, client: Client) -> Cost:
    """A row for each agent, and two workers."""
    ids = _names("asleep")
    with programs(server, [("worker",)] * WORKERS) as (pids, begin):

        def lay() -> None:
            begin()
            for id in ids:
                asleep_agents.lay(client, id)

        return measured(server, client, pids, ids, lay)


def measured(
    server: Served,
    client: Client,
    pids: Sequence[int],
    ids: Sequence[str],
    begin: Callable[[], None],
) -> Cost:
    """Let them begin, answer what they ask, and wait until every agent has completed."""
    watched = Watched(server, pids)
    with answering(server):
        begin()
        until = time.monotonic() + WITHIN_S
        while sum(head.state == "completed" for head in client.list()) < len(ids):
            if time.monotonic() > until:
                raise RuntimeError(f"not all have completed in {WITHIN_S:.0f} s")
            watched.look()
            time.sleep(0.5)
    return watched.cost()


class Watched:
    """What a server and some processes use, from now on. What has ended counts as it was last
    seen.
    """

    def __init__(self, server: Served, pids: Sequence[int]) -> None:
        self._server, self._pids = server, pids
        self._begun, self._memory = time.perf_counter(), list[float]()
        self._at_first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self._server_at_first = server.cpu_seconds()
        self.look()
        self._at_first = dict(self._last)

    def look(self) -> None:
        memory = self._server.rss_mib()
        for pid in self._pids:
            try:
                self._last[pid] = cpu_of(pid)
                memory += rss_kib(pid) / 1024
            except (OSError, RuntimeError):
                continue  # it has ended
        self._memory.append(memory)

    def cost(self) -> Cost:
        self.look()
        used = sum(self._last.values()) - sum(self._at_first.values())
        used += self._server.cpu_seconds() - self._server_at_first
        elapsed = time.perf_counter() - self._begun
        return Cost(elapsed, used, statistics.mean(self._memory), max(self._memory))


@contextmanager
def programs(
    server: Served, words: Sequence[tuple[str, ...]]
) -> Iterator[tuple[list[int], Callable[[], None]]]:
    """Programs that are ready; calling the second lets them begin."""
    told = {"DALHC_URL": _url(server), "DALHC_KEY": server.runtime_key}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "benches.asleep_agents", *one],
            env={**os.environ, **told},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for one in words
    ]
    try:
        for program in running:
            if program.stdout is None or program.stdout.readline() != b"ready\n":
                raise RuntimeError("a program did not begin")
        yield [program.pid for program in running], lambda: _begin(running)
    finally:
        for program in running:
            program.kill()
            program.wait()
            assert program.stdout is not None
            program.stdout.close()


def _begin(programs: Sequence[subprocess.Popen[bytes]]) -> None:
    for program in programs:
        assert program.stdin is not None
        program.stdin.close()


@contextmanager
def answering(server: Served) -> Iterator[None]:
    """A principal who answers each question after a while."""
    ends, failed = threading.Event(), list[Exception]()

    def run() -> None:
        seen: dict[str, float] = {}
        try:
            with _client(server, server.principal_key) as person:
                while not ends.wait(LOOK_S * 5):
                    answer(person, seen)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
    if failed:
        raise failed[0]


def answer(person: Client, seen: dict[str, float]) -> None:
    now = time.monotonic()
    for stop in person.suspensions(reason="ask_user"):
        if stop.question == asleep_agents.QUESTION and seen.setdefault(stop.id, now) < now - (
            ANSWER_S
        ):
            shown = person.suspension(stop.id)
            person.decide(
                stop.id, "answer", review_digest=str(shown.review_digest), answer="Take it in"
            )


def summary(costs: Sequence[Cost]) -> dict[str, Any]:
    """Medians; `spread` is (max - min) / median of the processor's time."""

    def middle(field: str) -> float:
        return float(round(statistics.median(getattr(cost, field) for cost in costs), 3))

    used = [cost.cpu_seconds for cost in costs]
    return {
        "seconds": middle("seconds"),
        "cpu_seconds": middle("cpu_seconds"),
        "rss_mib": middle("rss_mib"),
        "most_mib": middle("most_mib"),
        "spread": (max(used) - min(used)) / statistics.median(used),
        "trials": [asdict(cost) for cost in costs],
    }


def targets(told: dict[str, dict[str, Any]]) -> list[Target]:
    live, asleep = told["always alive"], told["asleep"]
    memory = asleep["rss_mib"] / live["rss_mib"]
    used = asleep["cpu_seconds"] / live["cpu_seconds"]
    return [
        (f"memory: {memory:.2f} x of always alive (<= 0.5)", memory <= 0.5),
        (f"processor: {used:.2f} x of always alive (<= 1)", used <= 1),
    ]


def show(told: dict[str, dict[str, Any]]) -> None:
    print(f"\nasleep   {machine_line()}")
    for name, one in told.items():
        print(
            f"{name:12}  {one['seconds']:5.1f} s  cpu {one['cpu_seconds']:6.2f} s  "
            f"memory {one['rss_mib']:6.0f} MiB, at most {one['most_mib']:.0f}  "
            f"{one['spread']:.0%}"
        )


def _names(word: str) -> list[str]:
    run = next(_runs)
    return [f"{word}-{run}-{number:02}" for number in range(AGENTS)]


def _client(server: Served, key: str) -> Client:
    return Client(_url(server), key)


def _url(server: Served) -> str:
    return f"http://127.0.0.1:{server.port}"


if __name__ == "__main__":
    sys.exit(main())
