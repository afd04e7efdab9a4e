"""PostgreSQL ends at once, in the middle of everything, and starts again: what was acknowledged
is there, once, and the servers go on by themselves.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest

from processes.services.verifying import verify_chains
from tests.cluster import Cluster, create_database
from tests.crash.proof import PROVING, keep, seed
from tests.crash.runtimes import LONGEST, Refusals, ended, go_on, started
from tests.serving import Served

pytestmark = pytest.mark.postgres

CYCLES, RUNTIMES = (100, 8) if PROVING else (3, 4)
BACK = 20.0  # seconds until everybody goes on, on a busy machine


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(durable=True)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def servers(
    cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Served]]:
    home = tmp_path_factory.mktemp("stopped")
    address = create_database(cluster.url(), "stopped")
    first = Served(home, DATABASE_URL=address)
    found = [first, Served(home, beside=first, DATABASE_URL=address)]
    yield found
    for server in found:
        server.close()


def test_a_hundred_immediate_stops_lose_and_double_nothing(cluster, servers):
    chosen, refusals, slowest = seed(), Refusals(), 0.0
    chance = random.Random(chosen)
    runtimes = started(servers, RUNTIMES, refusals)
    go_on(runtimes, 60)
    for number in range(CYCLES):
        time.sleep(chance.uniform(0.05, 0.5))
        cluster.crash()
        time.sleep(chance.uniform(0, 1))
        cluster.start()
        slowest = max(slowest, go_on(runtimes, BACK))
        assert told_by_the_other(servers, f"bell-{number}") < BACK / 2
    ended(runtimes, servers[0])
    acknowledged = sum(runtime.happened for runtime in runtimes)
    assert refusals.wrong == []
    assert refusals.longest <= LONGEST
    assert [server.process.poll() for server in servers] == [None, None]
    with psycopg.connect(servers[0].env["DATABASE_URL"]) as rows:
        assert verify_chains(lambda sql: rows.execute(sql).fetchall()) >= RUNTIMES
    keep(
        "immediate-stops", seed=chosen, stops=CYCLES, acknowledged=acknowledged,
        refusals=refusals.times, longest_s=round(refusals.longest, 1),
        back_after_s=round(slowest, 1),
    )  # fmt: skip


def told_by_the_other(servers: list[Served], id: str) -> float:
    """A runtime waits on one server, the answer comes through the other: seconds until it is
    told, which would be many had its server stopped listening.
    """
    here, there = servers
    here.runtime.post("processes", json={"objective": "Tidy", "id": id, "start": True})
    asked = {"reason": "ask_user", "question": "Which?"}
    stop = here.runtime.post(f"processes/{id}/suspend", json=asked).json()["suspension"]
    told: list[float] = []

    def wait() -> None:
        with here.caller(here.keys[0]) as caller:
            next_action = ""
            while next_action != "continue":  # woken for nothing while the server listens again
                reply = caller.get(f"processes/{id}/next", params={"wait": 25})
                next_action = reply.json()["next_action"]
        told.append(time.monotonic())

    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(0.2)  # it has arrived; sooner, it would be told at once
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    reply = there.person.post(f"suspensions/{stop['id']}/decision", json=choice)
    assert reply.status_code == 200, reply.text
    decided = time.monotonic()
    waiter.join(30)
    return told[0] - decided
