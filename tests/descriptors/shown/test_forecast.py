"""The next 24 hours: how many wake in each, and how many should be awake already."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from descriptors.models import SleeperRow
from descriptors.shown.forecast import HOURS, forecast
from descriptors.store import due
from tests.descriptors import making
from tests.descriptors.making import on, timer

pytestmark = pytest.mark.django_db
NOW = 1_790_000_000_000
HOUR = 3_600_000


def test_each_hour_counts_its_own_and_what_is_late_is_counted_apart():
    for at_ms in (
        NOW - 1, NOW - HOUR, NOW, NOW + HOUR - 1, NOW + HOUR, NOW + 24 * HOUR - 1,
        NOW + 24 * HOUR,
    ):  # fmt: skip
        making.asleep(timer(at_ms))
    making.asleep(on("explicit", "never by itself"))
    found = forecast(NOW)
    assert (found.overdue, found.total) == (2, 4)
    assert [bar.count for bar in found.bars] == [2, 1, *[0] * 21, 1]


def test_who_is_awake_is_neither_late_nor_foretold():
    making.due()
    making.one(ttl_s=60)
    found = forecast(NOW * 2)
    assert (found.overdue, found.total) == (0, 0)


def test_it_asks_once_and_reads_no_sleeper_however_many_there_are():
    for number in range(40):
        making.asleep(timer(NOW + number * HOUR // 2))
    with CaptureQueriesContext(connection) as queries:
        assert forecast(NOW).total == 40
    assert len(queries) == 1
    assert SleeperRow.objects.count() == 40


@pytest.mark.sqlite
def test_each_count_is_a_range_of_an_index_that_holds_all_it_needs():
    told = plan("EXPLAIN QUERY PLAN ")
    counts = [one for one in told if "descriptors_sleeper" in one]
    assert len(counts) == HOURS + 1
    assert {one.strip() for one in counts} == {
        "SEARCH descriptors_sleeper USING COVERING INDEX sleeper_forecast "
        "(due_at_ms>? AND due_at_ms<?)"
    }


@pytest.mark.postgres
def test_each_count_is_a_range_of_an_index_on_postgresql():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
    told = "\n".join(plan("EXPLAIN "))
    assert told.count("using sleeper_forecast") == HOURS + 1 and "Filter" not in told


def plan(explain):
    edges = [edge for place in range(HOURS + 1) for edge in (place, place + 1)]
    with connection.cursor() as cursor:
        cursor.execute(explain + due.counting(HOURS + 1), edges)
        return [str(row[-1]) for row in cursor.fetchall()]
