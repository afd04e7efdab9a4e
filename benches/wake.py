"""From a person's decision to the runtime that waits for it: alone, among 200, and while 32
append.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from benches.append import STEP
from benches.common import Result, Sample, Target, bench, sample
from benches.load import Request, http_loop
from benches.served import Served, served
from benches.waiters import Waiters

DECISIONS = 150
_runs = count()


def main() -> int:
    with served() as server:
        cases = {
            "1 waiter": deciding(server, 1),
            "200 waiters": deciding(server, 200),
            "200 waiters, 32 clients append": deciding(server, 200, appending=32),
        }
        return bench("wake", cases, targets=targets)


def deciding(
    server: Served, waiters: int, appending: int = 0, there: Served | None = None
) -> Callable[[], Sample]:
    """The time is from sending the decision to the waiter's answer, the commit in between. The
    waiters wait on `there`, if that is another server.
    """

    def case() -> Sample:
        run = next(_runs)
        names = [f"wake-{run}-{n}" for n in range(waiters)]
        for name in names:
            server.open_running(name)
        stops = {name: ask(server, name, 0) for name in names}
        lines = Waiters(there or server, names)
        person = http.client.HTTPConnection("127.0.0.1", server.port)
        try:
            with appended(server, appending, run):
                time.sleep(0.5)  # every waiter has arrived
                taken = [
                    one(server, lines, person, names[n % waiters], stops, n)
                    for n in range(DECISIONS)
                ]
        finally:
            lines.close()
        return sample(taken, sum(taken))

    return case


def one(
    server: Served,
    lines: Waiters,
    person: http.client.HTTPConnection,
    name: str,
    stops: dict[str, dict[str, Any]],
    number: int,
) -> float:
    stop = stops[name]
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    body, headers = json.dumps(choice), server.headers(server.principal_key)
    begun = time.perf_counter()
    person.request("POST", f"/api/v1/suspensions/{stop['id']}/decision", body, headers)
    answer = person.getresponse()
    if answer.status != 200:
        raise RuntimeError(answer.read().decode())
    answer.read()
    taken = lines.answered(name) - begun
    server.call("POST", f"/processes/{name}/resume", {})
    stops[name] = ask(server, name, number + 1)
    lines.wait(name)
    time.sleep(0.005)  # it has arrived
    return taken


def ask(server: Served, name: str, number: int) -> dict[str, Any]:
    asked = {"reason": "ask_user", "question": f"Which region, for the {number}th time?"}
    reply = server.call("POST", f"/processes/{name}/suspend", asked)
    stop: dict[str, Any] = reply["suspension"]
    return stop


@contextmanager
def appended(server: Served, clients: int, run: int) -> Iterator[None]:
    """Others append all the while."""
    if not clients:
        yield
        return
    for client in range(clients):
        server.open_running(f"beside-{run}-{client}")
    path = f"/api/v1/processes/beside-{run}-{{client}}/steps"
    request = Request("POST", path, server.headers(), json.dumps(STEP))
    beside = threading.Thread(
        target=http_loop, args=(server.port, clients, 8.0, request), kwargs={"expect": [201]}
    )
    beside.start()
    yield
    beside.join()


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    limits = {"1 waiter": 5, "200 waiters": 5, "200 waiters, 32 clients append": 25}
    return [
        (f"{name}: p99 {results[name].p99:.1f} ms (<= {most} ms)", results[name].p99 <= most)
        for name, most in limits.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
