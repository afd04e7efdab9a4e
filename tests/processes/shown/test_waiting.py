"""What the inbox asks of the database, also when a hundred thousand wait (performance.md)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from processes.models import Process, Suspension
from processes.shown import changes, reasons, waiting
from processes.shown.filters import Filters
from processes.shown.place import Place

NOW = 1_795_780_800_000
MANY = 3_000


@pytest.fixture(params=[3, MANY], ids=["some are settled", "nearly all wait"])
def many(db, request):
    """The planner weighs its indexes by how much of the table waits."""
    numbers = range(MANY)
    Process.objects.bulk_create(
        Process(
            id=f"p{n}", objective="x", state="suspended", suspend_reason="guard", agent="a",
            created_at_ms=NOW, updated_at_ms=NOW, chain="0" * 64,
        )
        for n in numbers
    )  # fmt: skip
    Suspension.objects.bulk_create(
        Suspension(
            id=f"susp_{n:06}", process_id=f"p{n}", reason=reasons.ORDER[n % 5], detail="Rows.",
            status="open" if n % request.param else "used", opened_at_ms=NOW - n, rank=NOW - n,
        )
        for n in numbers
    )  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def plans(work) -> list[str]:
    """How SQLite answers each query of `work`."""
    with CaptureQueriesContext(connection) as asked:
        work()
    with connection.cursor() as cursor:
        steps = []
        for query in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            steps += [row[3] for row in cursor.fetchall()]
    return steps


def unordered(steps: list[str]) -> list[str]:
    """What reads more than it returns: a scan but along the list's own index, and a sort."""
    scans = [s for s in steps if s.startswith("SCAN processes") and "suspension_" not in s]
    return scans + [step for step in steps if "TEMP B-TREE" in step]


@pytest.mark.sqlite
@pytest.mark.parametrize("reason", ["", "guard"])
@pytest.mark.parametrize(
    "place", [None, Place(NOW - 500, "x"), Place(NOW - 500, "x", is_backwards=True)]
)
def test_no_table_is_scanned_and_nothing_is_sorted(many, reason, place):
    steps = plans(lambda: waiting.page(Filters(reason), place, NOW))
    assert unordered(steps) == []
    assert [step for step in steps if "suspension_ranked" in step]


@pytest.mark.sqlite
def test_a_poll_that_finds_something_scans_nothing_either(many):
    tally, marker = waiting.count(Filters(), None)
    steps = plans(lambda: changes.since(tally, marker, Filters(), None, "susp_002990"))
    assert unordered(steps) == []


def test_pages_hold_everything_once_in_order(many):
    seen, place = [], None
    while True:
        found = list(waiting.here(Filters(), place).values_list("rank", "id")[: waiting.LENGTH])
        if not found:
            break
        seen += found
        place = Place(*found[-1])
    assert seen == sorted(seen)
    assert len(seen) == len(set(seen)) == Suspension.objects.open().count()
    assert waiting.count(Filters(), None)[0].of("") == min(len(seen), 5 * waiting.MOST)


def test_pages_hold_those_of_the_same_moment_once(db):
    Process.objects.bulk_create(
        Process(
            id=f"p{n}", objective="x", state="suspended", suspend_reason="guard", agent="a",
            created_at_ms=NOW, updated_at_ms=NOW, chain="0" * 64,
        )
        for n in range(120)
    )  # fmt: skip
    Suspension.objects.bulk_create(
        Suspension(
            id=f"s{n:03}", process_id=f"p{n}", reason="guard", opened_at_ms=NOW, rank=NOW
        )
        for n in range(120)
    )
    after = waiting.here(Filters(), Place(NOW, "s059")).values_list("id", flat=True)
    before = waiting.here(Filters(), Place(NOW, "s060", is_backwards=True)).values_list(
        "id", flat=True
    )
    assert list(after) == [f"s{n:03}" for n in range(60, 120)]
    assert list(before) == [f"s{n:03}" for n in range(59, -1, -1)]


def test_what_it_asks_is_said_in_the_best_words_there_are():
    assert waiting.ask_of("Which?", "detail", "tool", "guard") == "Which?"
    assert waiting.ask_of(None, "detail", "tool", "guard") == "detail"
    assert waiting.ask_of(None, None, "tool", "guard") == "Wants to run tool."
    assert waiting.ask_of(None, None, None, "guard") == "Guard, without a word."
