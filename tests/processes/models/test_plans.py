"""The hot reads use their partial indexes: in a full table, before ANALYZE and after it.

SQLite takes a partial index only for the very text of its condition, and forgets it when a
filter is spelled otherwise: what is asked here is what runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from processes.models import Decision, Process, Step, Suspension
from processes.store import attention, rows, steps, suspensions

pytestmark = pytest.mark.sqlite

MANY = 1_500


@pytest.fixture(scope="module", params=["without statistics", "with statistics"], autouse=True)
def _filled(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """One full table for all these tests, for it takes a second; nothing of it stays."""
    with django_db_blocker.unblock(), transaction.atomic():
        _fill()
        if request.param == "with statistics":
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        yield
        transaction.set_rollback(True)


def _fill() -> None:
    """Mostly history, a little that waits: the shape of a database after a year."""
    Process.objects.bulk_create(
        Process(
            id=f"p{n}", objective="Tidy", agent="tidier", chain="0" * 64, created_at_ms=n + 1,
            updated_at_ms=n + 1, state="suspended" if n % 10 == 0 else "completed",
            suspend_reason="guard" if n % 10 == 0 else None, held=n % 10 == 0,
        )
        for n in range(MANY)
    )  # fmt: skip
    Step.objects.bulk_create(
        Step(
            process_id=f"p{n % 50}", seq=n // 50 + 1, tool="run", args=str(n), at_ms=1,
            success=n % 2 == 0, result_digest="", idempotency_key=f"{n:064x}",
        )
        for n in range(MANY)
    )  # fmt: skip
    Suspension.objects.bulk_create(
        Suspension(
            id=f"susp_{n}", process_id=f"p{n}", reason="guard" if n % 20 else "ask_user",
            status="open" if n % 10 == 0 else "used", opened_at_ms=n + 1, rank=n + 1,
            question="Which?",
        )
        for n in range(MANY)
    )  # fmt: skip
    Decision.objects.bulk_create(
        Decision(
            id=f"dec_{n}", suspension_id=f"susp_{n}", action="approve", review_digest="",
            by="x", at_ms=1, live=n % 3 > 0,
        )
        for n in range(MANY)
        if n % 10
    )  # fmt: skip


def plan(run: Callable[[], object]) -> str:
    """The plan of the one SELECT that `run` makes."""
    with CaptureQueriesContext(
        connection,
    ) as seen:
        run()
    [sql] = [query["sql"] for query in seen if query["sql"].startswith("SELECT")]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sql.replace("%", "%%"))
        return " | ".join(row[3] for row in cursor.fetchall())


def index_of(found: str) -> list[str]:
    return re.findall(r"USING (?:COVERING )?INDEX (\w+)", found)


def test_a_recorded_success_is_found_by_its_partial_index():
    found = plan(lambda: steps.successes("p1", ["0" * 64]))
    assert index_of(found) == ["step_success_once"]


def test_a_list_of_keys_is_found_by_its_partial_index():
    found = plan(lambda: steps.successes("p1", [f"{n:064x}" for n in range(100)]))
    assert index_of(found) == ["step_success_once"]
    assert "SCAN" not in found


def test_an_attempt_is_found_by_its_partial_index():
    assert index_of(plan(lambda: steps.attempts("p1", ["try-1"]))) == ["step_attempt_once"]


def test_the_inbox_is_read_from_its_index_in_order():
    found = plan(lambda: list(Suspension.objects.waiting().in_order()[:51]))
    assert index_of(found) == ["suspension_ranked"]
    assert "TEMP B-TREE" not in found


def test_the_inbox_of_the_api_is_read_from_its_index_in_order():
    listed = Suspension.objects.visible_to(None).select_related("process").waiting()
    found = plan(lambda: list(listed.in_order()[:51]))
    assert "suspension_ranked" in index_of(found)
    assert "TEMP B-TREE" not in found


@pytest.mark.parametrize("reason", ["guard", "ask_user"])
def test_the_inbox_of_one_reason_is_read_from_its_index_in_order(reason):
    found = plan(lambda: list(Suspension.objects.waiting().for_reason(reason).in_order()[:51]))
    assert index_of(found) == ["suspension_ranked_reason"]
    assert "TEMP B-TREE" not in found


def test_a_page_further_down_the_inbox_is_read_from_its_index():
    bounded = Suspension.objects.waiting().ranked_after(500, "susp_499")
    found = plan(lambda: list(bounded.in_order()[:51]))
    assert index_of(found)[0] == "suspension_ranked"
    assert "TEMP B-TREE" not in found


@pytest.mark.parametrize(
    ("name", "index"),
    [("running", "process_running"), ("not_started", "process_not_started"),
     ("decided_not_picked_up", "process_decided"), ("settled", "process_settled")],
)  # fmt: skip
def test_each_list_of_processes_is_read_from_its_index_in_order(name, index):
    found = plan(lambda: list(getattr(Process.objects, name)().newest_first()[:51]))
    assert index_of(found) == [index]
    assert "TEMP B-TREE" not in found


def test_a_row_is_read_by_its_key():
    assert plan(lambda: rows.read_any("p1")).startswith("SEARCH processes_process USING")


def test_the_latest_suspension_of_a_process_is_read_from_its_index():
    assert index_of(plan(lambda: suspensions.latest("p1"))) == ["suspension_of_process"]


def test_the_living_decision_is_read_from_an_index():
    found = plan(lambda: suspensions.live_decision("susp_1"))
    assert index_of(found) and "SCAN" not in found


def test_whose_time_is_over_is_found_by_an_index():
    found = plan(lambda: attention.expired(1_000, 10))
    assert index_of(found) == ["suspension_expiring"] and "TEMP B-TREE" not in found


def test_the_end_of_a_snooze_is_found_by_an_index():
    found = plan(lambda: attention.awake(1_000, 10))
    assert index_of(found) == ["suspension_snoozed"] and "TEMP B-TREE" not in found


def test_what_is_open_of_an_agent_is_counted_in_an_index():
    found = plan(lambda: attention.count_open("tidier", 20))
    assert "suspension_open_agent" in index_of(found)
