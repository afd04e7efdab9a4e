"""A server whose surroundings misbehave: the clock jumps a day and back, a reader stays. `make
prove` keeps the product's own limits, and takes a minute.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from dalhc.db.sqlite import wal
from dalhc.db.sqlite.library import sqlite
from dalhc.server import server_command
from tests.crash import power
from tests.crash.calling import Caller
from tests.crash.proof import PROVING, keep, seed
from tests.serving import Served

pytestmark = pytest.mark.sqlite


SECONDS = 60 if PROVING else 3
LIMIT = wal.LIMIT if PROVING else 2 << 20
EVERY_MS = wal.EVERY_MS if PROVING else 300
DAY, HOUR = 86_400_000, 3_600_000
JUMPS = (0, DAY, -DAY, HOUR, -HOUR, -1, -250)
BATCH = [{"tool": "fill", "args": {"long": "x" * 20_000}, "success": False} for _ in range(12)]


class Altered(Served):
    def command(self) -> list[str]:
        return server_command(self.port, application="tests.crash.altered:application")

    def jump(self, ms: int) -> None:
        """From now on the server's clock is so far from the true one."""
        part = self.home / "jump-ms.part"
        part.write_text(str(ms))
        part.rename(self.home / "jump-ms")

    def database(self) -> sqlite.Connection:
        return sqlite.connect(self.home / power.DATABASE)


@pytest.fixture(scope="module")
def altered(new_home: Callable[[], Path]) -> Iterator[Altered]:
    server = Altered(new_home(), WAL_LIMIT=str(LIMIT), WAL_EVERY_MS=str(EVERY_MS))
    yield server
    server.close()


def test_while_the_clock_jumps_nothing_is_lost_reordered_or_held_by_two(altered):
    chance, ends = Random(begun := seed()), time.monotonic() + SECONDS
    body = {"objective": "Tidy", "id": "leased", "start": True}
    assert altered.runtime.post("processes", json=body).status_code == 201
    with ThreadPoolExecutor(8) as pool:
        lives = [pool.submit(_live, altered, number, ends) for number in range(3)]
        holds = [pool.submit(_hold, altered, f"boot-{number}", ends) for number in range(3)]
        while time.monotonic() < ends:
            altered.jump(chance.choice(JUMPS))
            time.sleep(0.05)
        altered.jump(0)
        told = [line for life in lives for line in life.result()]
        held = sorted(itertools.chain(*(hold.result() for hold in holds)))
    assert power.look_at_database(altered.home, told) == []
    assert _backwards(altered) > 0, "the clock never went back between two events"
    assert _younger_than_made(altered) == []
    assert told
    _assert_one_holder(altered, held)
    keep("clock", seed=begun, seconds=SECONDS, told=len(set(told)), held=len(held), wrong=0)


def test_a_reader_that_stays_holds_nobody_up_and_the_log_is_short_once_it_has_left(altered):
    log = altered.home / f"{power.DATABASE}-wal"
    assert altered.runtime.post(
        "processes", json={"objective": "Tidy", "id": "filled", "start": True}
    ).is_success
    reader = altered.database()
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM processes_step").fetchone()
    while log.stat().st_size <= LIMIT + (1 << 20):
        told = altered.runtime.post("processes/filled/steps", json=BATCH)
        assert told.status_code == 201, told.text
    _until(lambda: "has been reading for a long time" in altered.log, 30)
    assert altered.runtime.post("processes/filled/steps", json=BATCH[:1]).status_code == 201
    largest = log.stat().st_size
    reader.close()
    seconds = _until(lambda: log.stat().st_size <= LIMIT, 60)
    keep("reader", limit=LIMIT, largest=largest, seconds=round(seconds, 1))


def _live(server: Altered, number: int, ends: float) -> list[str]:
    told: list[str] = []
    with closing(Caller(server.url, server.keys[0], server.keys[2])) as caller:
        lives = itertools.count()
        while time.monotonic() < ends:
            caller.lead(f"life-{number}-{next(lives)}", told.append)
    return told


def _hold(server: Altered, owner: str, ends: float) -> list[tuple[int, int, str]]:
    """(step, epoch, owner) of each write that was accepted under a lease of this owner."""
    accepted: list[tuple[int, int, str]] = []
    client, numbers = server.caller(server.keys[0]), itertools.count()
    with client:
        while time.monotonic() < ends:
            claim = client.post("processes/leased/lease", json={"owner": owner, "ttl_s": 1})
            if claim.status_code == 409:
                assert claim.json()["code"] == "leased", claim.text
                continue
            epoch = claim.raise_for_status().json()["lease_epoch"]
            for _ in range(3):
                step = {
                    "tool": "run", "args": {"by": owner, "n": next(numbers)},
                    "success": True, "lease_epoch": epoch,
                }  # fmt: skip
                told = client.post("processes/leased/steps", json=step)
                if told.status_code == 201:
                    accepted.append((told.json()["seq"], epoch, owner))
                else:
                    assert told.json()["code"] == "fenced", told.text
    return accepted


def _assert_one_holder(server: Altered, held: list[tuple[int, int, str]]) -> None:
    """Each accepted write came from whoever had the newest claim at its place in the log."""
    assert held
    database = server.database()
    epochs, owners, now = list[int](), dict[int, str](), dict[int, int]()
    for kind, data in database.execute(
        "SELECT kind, data FROM processes_event WHERE process_id = 'leased' ORDER BY seq"
    ):
        said = json.loads(data)
        if kind == "lease":
            epochs.append(said["epoch"])
            owners[said["epoch"]] = said["owner"]
        if kind == "step":
            now[said["step"]] = epochs[-1]
    database.close()
    assert epochs == list(range(1, len(epochs) + 1))
    assert len(epochs) > 1
    assert [(seq, now[seq], owners[now[seq]]) for seq, _, _ in held] == held


def _backwards(server: Altered) -> int:
    """How often an event has an earlier time than the one before it in its log."""
    sql = (
        "SELECT count(*) FROM processes_event a JOIN processes_event b "
        "ON b.process_id = a.process_id AND b.seq = a.seq + 1 WHERE b.at_ms < a.at_ms"
    )
    return int(_rows(server, sql)[0][0])


def _younger_than_made(server: Altered) -> list[tuple[object, ...]]:
    sql = "SELECT id FROM processes_process WHERE updated_at_ms < created_at_ms"
    return _rows(server, sql)


def _rows(server: Altered, sql: str) -> list[tuple[object, ...]]:
    database = server.database()
    try:
        return list(database.execute(sql).fetchall())
    finally:
        database.close()


def _until(true: Callable[[], bool], seconds: float) -> float:
    """Wait for it; the seconds it took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds
        time.sleep(0.05)
    return time.monotonic() - begun
