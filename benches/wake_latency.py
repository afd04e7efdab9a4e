"""How soon a waiting worker has a sleeper: after its timer, after a person's answer, and after
a signal, be its process short or 100,000 steps long.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import count
from typing import Any

from benches.claimer import Claim, Claimer
from benches.common import Case, Result, Sample, Target, bench, sample
from benches.growth import grow
from benches.served import Served, served
from benches.wake import ask

TIMERS, ANSWERS, SIGNALS = 150, 100, 60
APART_MS = 12  # between two timers, more or less
LAYING_MS = 25  # to put one to sleep: all sleep before the first timer
LENGTHS = {"small": 10, "medium": 1_000, "giant": 100_000}
TAIL = 50  # steps that a runtime reads before it goes on
_runs = count()
_epochs: dict[str, int] = {}  # of each process, its last claim


def main() -> int:
    with served() as server, closing(Claimer(server)) as worker:
        cases = {"timer": timers(server, worker), "answer": answers(server, worker)}
        for name, steps in LENGTHS.items():
            grow(server, name, steps)
            cases[f"signal, {name}"] = signals(server, worker, name, lambda *_: None)
            cases[f"and {TAIL} steps read, {name}"] = signals(server, worker, name, read_tail)
        return bench("wake_latency", cases, targets=targets)


def timers(server: Served, worker: Claimer) -> Case:
    """Milliseconds late, each of many timers in a row."""

    def case() -> Sample:
        run = next(_runs)
        names = [f"timed-{run}-{number}" for number in range(TIMERS)]
        for name in names:
            server.open_running(name)
        first_ms = time.time() * 1000 + LAYING_MS * TIMERS
        for number, name in enumerate(names):
            at_ms = int(first_ms + APART_MS * (number + random.uniform(0, 1)))
            sleep(server, name, {"kind": "timer", "key": at_ms})
        late = [worker.claimed(name, 30).late_ms for name in names]
        if min(late) < 0:
            raise RuntimeError(f"a timer woke {-min(late):.1f} ms early")
        return sample([one / 1000 for one in late], APART_MS * TIMERS / 1000)

    return case


def answers(server: Served, worker: Claimer) -> Case:
    """From sending the answer to the worker's having the claim, the commit in between."""

    def case() -> Sample:
        name = f"answered-{next(_runs)}"
        server.open_running(name)
        stop = ask(server, name, 0)
        sleep(server, name, {"kind": "human", "key": stop["id"]})
        person = http.client.HTTPConnection("127.0.0.1", server.port)
        taken = []
        for number in range(ANSWERS):
            begun = decide(server, person, stop)
            claim = worker.claimed(name)
            taken.append(claim.arrived - begun)
            stop = ask_again(server, name, claim, number + 1)
        person.close()
        return sample(taken, sum(taken))

    return case


def signals(
    server: Served, worker: Claimer, name: str, after: Callable[[Served, str], object]
) -> Case:
    """From sending the signal to the claim, and to the end of what follows it."""

    def case() -> Sample:
        condition = {"kind": "wait-provider", "key": f"bench/{next(_runs)}"}
        sleep(server, name, condition, _epochs.get(name))
        taken = []
        for _ in range(SIGNALS):
            begun = time.perf_counter()
            server.call("POST", "/signals", condition)
            claim = worker.claimed(name)
            ready = claim.arrived - begun
            begun = time.perf_counter()
            after(server, name)
            taken.append(ready + time.perf_counter() - begun)
            commit(server, name, claim, condition)
            _epochs[name] = claim.epoch
        return sample(taken, sum(taken))

    return case


def read_tail(server: Served, name: str) -> None:
    record = server.call("GET", f"/processes/{name}?steps=tail:{TAIL}")
    if not record["steps"]:
        raise RuntimeError(f"{name} has no steps")


def sleep(
    server: Served, name: str, condition: dict[str, Any], epoch: int | None = None
) -> None:
    said: dict[str, Any] = {
        "session_id": name,
        "format_version": 1,
        "agent_preset_id": "bench",
        "execution_world": {"cwd": "/srv/agents", "env_class": "container"},
        **dormancy(server, name, condition),
    }
    server.call("PUT", f"/descriptors/{name}", said | ({"lease_epoch": epoch} if epoch else {}))


def dormancy(server: Served, name: str, condition: dict[str, Any]) -> dict[str, Any]:
    """Standing where a flush says."""
    place = server.call("GET", f"/descriptors/{name}/source")
    return {
        "wake_conditions": [condition],
        "budget_state": {"max_consecutive_wakes": 1_000_000},
        "last_committed": {
            "source_revision": place["source_revision"],
            "seq_watermark": place["seq_watermark"],
            "turn_id": "turn-1",
        },
    }


def commit(server: Served, name: str, claim: Claim, condition: dict[str, Any]) -> None:
    said = dormancy(server, name, condition) | {"lease_epoch": claim.epoch}
    server.call("POST", f"/descriptors/{name}/commit", said)
    time.sleep(0.01)  # the worker waits again


def decide(server: Served, person: http.client.HTTPConnection, stop: dict[str, Any]) -> float:
    """A principal answers; when that was sent, on time.perf_counter's clock."""
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    body, headers = json.dumps(choice), server.headers(server.principal_key)
    begun = time.perf_counter()
    person.request("POST", f"/api/v1/suspensions/{stop['id']}/decision", body, headers)
    answer = person.getresponse()
    said = answer.read()
    if answer.status != 200:
        raise RuntimeError(said.decode())
    return begun


def ask_again(server: Served, name: str, claim: Claim, number: int) -> dict[str, Any]:
    """One continuation: resumed, stopped at another question, asleep on its answer."""
    server.call("POST", f"/processes/{name}/resume", {"lease_epoch": claim.epoch})
    asked = {
        "reason": "ask_user",
        "question": f"Which region, for the {number}th time?",
        "lease_epoch": claim.epoch,
    }
    stop: dict[str, Any] = server.call("POST", f"/processes/{name}/suspend", asked)[
        "suspension"
    ]
    commit(server, name, claim, {"kind": "human", "key": stop["id"]})
    return stop


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    late, answered = results["timer"].p99, results["answer"].p99
    grown = results["signal, giant"].p50 / results["signal, small"].p50
    read = f"and {TAIL} steps read"
    ready = results[f"{read}, giant"].p50 / results[f"{read}, small"].p50
    return [
        (f"timer: late by {late:.1f} ms at p99 (<= 50)", late <= 50),
        (f"answer to claim: {answered:.1f} ms at p99 (<= 15)", answered <= 15),
        (f"claimed, giant to small: {grown:.2f} x (<= 1.5)", grown <= 1.5),
        (f"ready, giant to small: {ready:.2f} x (<= 2)", ready <= 2),
    ]


if __name__ == "__main__":
    sys.exit(main())
