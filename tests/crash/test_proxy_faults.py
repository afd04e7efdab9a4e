"""The way to PostgreSQL loses replies, falls silent and is reset: nothing acknowledged is lost,
nothing is there twice, nobody hangs, and nobody restarts the server.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from processes.services.verifying import verify_chains
from tests.crash.proof import PROVING, keep, seed
from tests.crash.runtimes import LONGEST, Refusals, ended, go_on, started, until
from tests.databases import database_of
from tests.proxy import QUICK, SILENT, Fault, Proxy
from tests.serving import Served

pytestmark = pytest.mark.postgres

FAULTS, RUNTIMES, DEAD = (500, 12, 12.0) if PROVING else (20, 6, 6.0)
FAULTS = int(os.environ.get("FAULTS", FAULTS))
# A silent line keeps its locks until PostgreSQL ends the idle transaction, after 30 seconds.
LOCKED = 60.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def proxy(home: Path) -> Iterator[Proxy]:
    proxy = Proxy(database_of(home))
    yield proxy
    proxy.close()


@pytest.fixture(scope="module")
def server(home: Path, proxy: Proxy) -> Iterator[Served]:
    server = Served(home, DATABASE_URL=proxy.url)
    yield server
    proxy.let_go()
    server.close()


def test_whatever_the_way_to_the_database_does_each_write_is_kept_once(server, proxy):
    chosen, refusals = seed(), Refusals()
    chance = random.Random(chosen)
    runtimes = started([server], RUNTIMES, refusals)
    go_on(runtimes, 60)
    for number in range(FAULTS):
        # Each silence holds one of few threads for eight seconds.
        fault = chance.choice(SILENT if number % 10 == 0 else QUICK)
        _strike(proxy, fault)
        time.sleep(chance.uniform(0, 0.1))
        if number % 100 == 99:
            go_on(runtimes, LOCKED)
    _be_dead(proxy)
    healed = go_on(runtimes, LOCKED)
    ended(runtimes, server)
    assert refusals.wrong == []
    assert refusals.longest > DEAD / 2, "the silence met nobody"
    assert refusals.longest <= LONGEST
    assert refusals.times >= FAULTS / 4, "the faults met nobody"
    assert server.process.poll() is None
    with psycopg.connect(database_of(server.home)) as rows:
        assert verify_chains(lambda sql: rows.execute(sql).fetchall()) >= RUNTIMES
    keep(
        "proxy-faults", seed=chosen, faults=FAULTS, refusals=refusals.times,
        longest_s=round(refusals.longest, 1), back_after_s=round(healed, 1),
    )  # fmt: skip


def _strike(proxy: Proxy, fault: Fault) -> None:
    before = proxy.struck
    proxy.arm(fault)
    until(lambda: proxy.struck > before, 60)


def _be_dead(proxy: Proxy) -> None:
    """Nothing gets through for a while, on no line and on no new one."""
    proxy.silence.set()
    time.sleep(DEAD)
    proxy.let_go()
