"""What sixteen clients are told of a few processes, while servers are killed, is what one after
another would have been told: the log is the order, and the pure rules agree with all of it.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.crash.proof import keep
from tests.databases import ON_POSTGRES
from tests.linear.clients import History, told
from tests.linear.order import check
from tests.serving import Served

pytestmark = pytest.mark.database

PROVE = bool(os.environ.get("PROVE"))
OPERATIONS, SEEDS, A_LIFE = (10_000, 20, 2_500) if PROVE else (800, 1, 400)
OPERATIONS = int(os.environ.get("OPERATIONS", OPERATIONS))
SEEDS = int(os.environ.get("SEEDS", SEEDS))
FIRST = int(os.environ.get("SEED", random.randrange(1 << 32)))
FOUND: list[dict[str, int]] = []  # of each seed that was right
OFTEN = {"open", "append", "suspend", "decide", "resume"}
SELDOM = {"take_back", "complete", "lease"}


# Named by their places: all of pytest's workers must name a test alike.
@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS), ids=range(SEEDS))
def test_what_many_clients_are_told_can_have_happened_one_after_another(tmp_path, seed):
    print(f"seed {seed}")
    servers = _servers(tmp_path)
    history = History(servers, OPERATIONS, seed)
    history.start()
    kills = _kill_now_and_then(servers, history, random.Random(seed))
    history.join()
    operations = history.operations
    names = {one.process for one in operations}
    for name in names:
        mine, found = [one for one in operations if one.process == name], told(servers[0], name)
        if found is None:
            assert not any(one.status == 201 for one in mine), f"{name} is lost"
            continue
        check(name, mine, found)
    for server in servers:
        server.close()
    counts = Counter(one.refused or one.status for one in operations)
    print(f"{len(operations)} operations on {len(names)} processes, {kills} kills: {counts}")
    assert history.wrong == []
    assert kills
    done = Counter(one.kind for one in operations if one.status in {200, 201})
    assert done.keys() >= (OFTEN | SELDOM if PROVE else OFTEN)
    told_nothing = sum(not one.is_known for one in operations)
    FOUND.append({"seed": seed, "operations": len(operations), "processes": len(names),
                  "kills": kills, "told_nothing": told_nothing})  # fmt: skip
    keep(f"linear-{'postgres' if ON_POSTGRES else 'sqlite'}", wrong=0, seeds=FOUND)


def _servers(home: Path) -> list[Served]:
    """Two on PostgreSQL."""
    limit = {"DALHC_OPEN_PER_AGENT": "100000", "DALHC_RATE": "0"}
    first = Served(home, None, **limit)
    return [first, Served(home, first, **limit)] if ON_POSTGRES else [first]


def _kill_now_and_then(servers: list[Served], history: History, chance: random.Random) -> int:
    """Each time so many operations have been asked; returns how often."""
    kills, next_kill = 0, A_LIFE
    while history.is_going_on:
        if len(history.operations) >= next_kill:
            server = chance.choice(servers)
            server.kill()
            server.start()
            kills, next_kill = kills + 1, len(history.operations) + A_LIFE
        time.sleep(0.02)
    return kills
