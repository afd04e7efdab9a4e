"""Measuring, row by row (contract M06-M13). The times themselves
are the benches': `make bench`. What stands here is what no slow machine can blur.
"""

from __future__ import annotations

import json
import random
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benches import asleep, common, descriptors, dormant, wake_latency
from descriptors import services
from descriptors.contract import errors
from descriptors.models import SleeperRow
from descriptors.store import due
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import append, make_process, principal_actor

pytestmark = pytest.mark.django_db
TOP = Path(__file__).parents[2]


def asleep_in_bulk(number: int, agent: str = "sloth", due_ms: int = making.FAR) -> None:
    """Rows alone, as many as a bench has, in a moment."""
    made = making.asleep(timer(due_ms), agent=agent)
    row = SleeperRow.objects.get(session_id=made.id)
    SleeperRow.objects.bulk_create(
        SleeperRow(
            session_id=f"{agent}-{n}", agent=agent, preset=row.preset, stage="sleeping",
            due_at_ms=due_ms + n, seq=1, body=row.body,
        )
        for n in range(number)
    )  # fmt: skip


def statements(work: Any) -> int:
    with CaptureQueriesContext(connection) as queries:
        work()
    return len(queries)


def cycle_of_one() -> list[int]:
    """How many statements it takes to put one to sleep, read it, claim it and commit it."""
    made = make_process(running=True)
    counts = [statements(lambda: making.sleep(made, timer(1)))]
    counts.append(statements(lambda: services.sleeper(made.id, by=made.by)))
    counts.append(statements(making.one))
    epoch = made.row.host.lease_epoch
    counts.append(statements(lambda: making.commit(made, epoch, on("explicit", "go"))))
    return counts


def test_m06_each_operation_asks_as_often_among_thousands_as_among_ten():
    """`benches/descriptors.py` times the same, from ten to a million, with no model and no
    key.
    """
    assert {10, 1_000, 10_000} <= set(descriptors.SIZES)
    asleep_in_bulk(10)
    few = cycle_of_one()
    asleep_in_bulk(3_000, "sloth-2")
    assert cycle_of_one() == few


def test_m07_a_wake_asks_as_often_for_a_long_process_as_for_a_short_one():
    """`benches/wake_latency.py` times it up to a hundred thousand steps."""
    assert wake_latency.LENGTHS == {"small": 10, "medium": 1_000, "giant": 100_000}
    counts = []
    for steps in (2, 200):
        made = make_process(running=True)
        for number in range(steps):
            append(made, args={"n": number})
        making.sleep(made, timer(1))
        counts.append(statements(making.one))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("alive", "sleeping", "code"), [(900, 100, 0), (100, 900, 1)])
def test_m08_always_alive_and_asleep_are_measured_on_one_workload(
    alive, sleeping, code, monkeypatch, tmp_path
):
    """`benches/asleep.py` runs both in turn; when sleeping costs more it keeps nothing."""
    runs = list[str]()

    def way(name: str, mib: float) -> asleep.Way:
        cost = asleep.Cost(seconds=1, cpu_seconds=mib / 100, rss_mib=mib, most_mib=mib)
        return lambda *_: (runs.append(name), cost)[1]

    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(asleep, "served", lambda: nullcontext(SimpleNamespace(runtime_key="")))
    monkeypatch.setattr(asleep, "_client", lambda *_: nullcontext())
    monkeypatch.setattr(asleep, "alive", way("alive", alive))
    monkeypatch.setattr(asleep, "asleep", way("asleep", sleeping))
    assert asleep.main() == code
    assert runs == ["alive", "asleep"] * 3
    assert (tmp_path / "results").exists() is (code == 0)


def test_m09_ten_thousand_dormant_agents_cost_about_a_kilobyte_each():
    """`benches/descriptors.py` measures it, memory too, up to a million."""
    number, before = 10_000, bytes_on_disk()
    asleep_in_bulk(number)
    each = (bytes_on_disk() - before) / number
    assert 300 < each < 1_024
    assert descriptors.DISK_BYTES <= 1_024 and descriptors.MEMORY_KIB <= 1


def bytes_on_disk() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_total_relation_size('descriptors_sleeper')")
            return int(cursor.fetchone()[0])
        pages = []
        for name in ("page_count", "freelist_count", "page_size"):
            cursor.execute(f"PRAGMA {name}")
            pages.append(int(cursor.fetchone()[0]))
    return (pages[0] - pages[1]) * pages[2]


def test_m10_going_to_sleep_is_told_as_a_ratio_to_the_raw_floor_in_the_same_run():
    """`benches/descriptors.py`; its targets are ratios, and a dearer one misses."""
    for ours, reached in ((2.4, True), (2.6, False)):
        results = {
            **{name: figure(1.0) for name in all_cases() if name.endswith("floor")},
            **{name: figure(1.0) for name in all_cases() if not name.endswith("floor")},
            "sleep again, 1,000": figure(ours),
        }
        [said] = [one for one in descriptors.targets(results) if one[0].startswith("sleep")]
        assert said[1] is reached and "x the floor" in said[0]


def all_cases() -> list[str]:
    places = [
        SimpleNamespace(number=number, case=lambda *_: None) for number in descriptors.SIZES
    ]
    return list(descriptors.cases(places))


def figure(p50: float) -> common.Result:
    one = common.Sample(per_second=1.0, p50=p50, p99=p50, max=p50, calls=1)
    return common.Result(1.0, p50, p50, p50, 0.0, 3, (one, one, one))


def test_m11_reading_one_is_measured_on_those_that_are_there(monkeypatch):
    """`benches/dormant.py` looks at what it got: another, or none, fails the bench."""
    bench = object.__new__(dormant.Ours)
    bench._number, bench._random, bench._person = 10, random.Random(1), principal_actor()
    bench._services = SimpleNamespace(sleeper=lambda *_, **__: SimpleNamespace(session_id="x"))
    with pytest.raises(RuntimeError, match="was given x"):
        bench.get()
    monkeypatch.setattr(bench, "_services", services)
    with pytest.raises(errors.DescriptorNotFound):
        bench.get()


@pytest.mark.sqlite
def test_m12_a_page_of_what_is_due_costs_the_database_the_same_among_ten_times_as_many():
    """Counted in steps of its virtual machine. `benches/descriptors.py` times it to a million
    and fails when a page is not full.
    """
    costs = []
    for number in (1_000, 10_000):
        asleep_in_bulk(number, f"late-{number}", due_ms=1)
        found, steps = counted(lambda n=number: due.due(f"late-{n}", making.FAR - 1, None, 50))
        assert len(found) == 50
        costs.append(steps)
    assert 0 < costs[1] <= 2 * costs[0]


def counted(work: Any) -> tuple[Any, int]:
    """What it returns, and how many steps of SQLite's machine it took."""
    steps, library = [0], connection.connection
    library.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 1)
    try:
        return work(), steps[0]
    finally:
        library.set_progress_handler(None, 0)


def test_m13_a_full_cycle_is_told_by_its_median_its_tail_and_its_worst(monkeypatch, tmp_path):
    """The harness of `benches/`, on real cycles."""
    monkeypatch.setattr(common, "RESULTS", tmp_path)

    def cycles() -> common.Sample:
        taken = []
        for _ in range(5):
            begun = time.perf_counter()
            cycle_of_one()
            taken.append(time.perf_counter() - begun)
        return common.sample(taken, sum(taken))

    assert common.bench("cycle", {"full cycle": cycles}) == 0
    kept = json.loads((tmp_path / "cycle.json").read_text())["results"]["full cycle"]
    assert 0 < kept["p50"] <= kept["p99"] <= kept["max"] and kept["calls"] == 15
    assert any(name.startswith("claim and commit") for name in all_cases())
