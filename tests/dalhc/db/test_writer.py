"""What the writer promises, with its thread and without: committed when told, alone when it
fails.
"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, OperationalError, connection, transaction

from dalhc.db import writer
from dalhc.db.refusals import Busy, refusal
from tests.dalhc.db.writing import (
    Refused,
    add,
    kept,
    kept_by_another_connection,
    refuse,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_result_comes_back_and_is_kept(each_mode: str):
    assert writer.write(lambda: add(1)) == 1
    assert kept() == [1]


def test_what_fails_is_raised_and_not_kept(each_mode: str):
    with pytest.raises(Refused, match="2"):
        writer.write(lambda: refuse(2))
    writer.write(lambda: add(3))
    assert kept() == [3]


def test_a_write_inside_a_write_joins_it_and_may_fail_alone(each_mode: str):
    def outer() -> None:
        add(1)
        with pytest.raises(Refused):
            writer.write(lambda: refuse(2))
        writer.write(lambda: add(3))

    writer.write(outer)
    assert kept() == [1, 3]


def test_a_write_inside_a_failing_write_is_lost_with_it(each_mode: str):
    def outer() -> None:
        writer.write(lambda: add(1))
        raise Refused

    with pytest.raises(Refused):
        writer.write(outer)
    assert kept() == []


def test_callbacks_run_after_the_commit_and_before_the_caller_goes_on(each_mode: str):
    seen: list[list[int]] = []

    def work() -> None:
        writer.after_commit(lambda: seen.append(kept_by_another_connection()))
        add(1)

    writer.write(work)
    assert seen == [[1]]


def test_callbacks_of_a_failed_write_never_run(each_mode: str):
    rung: list[str] = []

    def inner() -> None:
        writer.after_commit(lambda: rung.append("inner"))
        raise Refused

    def outer() -> None:
        writer.after_commit(lambda: rung.append("outer"))
        with pytest.raises(Refused):
            writer.write(inner)

    writer.write(outer)
    with pytest.raises(Refused):
        writer.write(inner)
    assert rung == ["outer"]


def test_a_failing_callback_hurts_neither_the_write_nor_the_next_callback(each_mode: str):
    rung: list[str] = []

    def work() -> int:
        writer.after_commit(lambda: 1 // 0)
        writer.after_commit(lambda: rung.append("second"))
        return add(1)

    assert writer.write(work) == 1
    assert rung == ["second"]


def test_after_commit_outside_a_write_is_a_mistake():
    with pytest.raises(RuntimeError, match="outside"):
        writer.after_commit(print)


def test_models_and_atomic_work_inside_a_closure(each_mode: str):
    """Trap 5's other half: the ORM sees an open transaction and makes savepoints."""
    told: list[str] = []

    def work() -> str:
        Group.objects.create(name="kept")
        with pytest.raises(IntegrityError), transaction.atomic():
            Group.objects.create(name="kept")
        transaction.on_commit(lambda: told.append("committed"))
        with transaction.atomic():
            Group.objects.update_or_create(name="too")
        return "done"

    assert writer.write(work) == "done"
    assert sorted(Group.objects.values_list("name", flat=True)) == ["kept", "too"]
    assert told == ["committed"]


def test_an_integrity_error_of_a_model_is_the_callers_and_leaves_the_writer_well(
    each_mode: str,
):
    writer.write(lambda: Group.objects.create(name="one"))
    with pytest.raises(IntegrityError):
        writer.write(lambda: Group.objects.create(name="one"))
    writer.write(lambda: Group.objects.create(name="two"))
    assert Group.objects.count() == 2


def test_submit_gives_a_future(each_mode: str):
    assert writer.submit(lambda: add(5)).result(5) == 5
    with pytest.raises(Refused):
        writer.submit(lambda: refuse(6)).result(5)
    assert kept() == [5]


@pytest.mark.django_db
def test_in_a_tests_own_transaction_a_write_runs_inline_and_rings_at_once():
    """Trap 5: the writer's thread would neither see that transaction nor get past its gate."""
    rung: list[str] = []

    def work() -> None:
        Group.objects.create(name="seen")
        writer.after_commit(lambda: rung.append("rung"))

    assert connection.in_atomic_block
    writer.write(work)
    assert Group.objects.filter(name="seen").exists()
    assert rung == ["rung"]


def test_start_and_stop_may_be_said_twice(table: None):
    writer.start()
    writer.start()
    assert writer.write(lambda: add(1)) == 1
    writer.stop()
    writer.stop()
    assert writer.write(lambda: add(2)) == 2


def test_only_a_failing_database_becomes_a_problem():
    assert refusal(ValueError("database is locked")) is None
    assert refusal(IntegrityError("UNIQUE constraint failed")) is None
    assert isinstance(refusal(OperationalError("database table is locked")), Busy)
