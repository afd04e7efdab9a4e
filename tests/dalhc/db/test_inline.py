"""Who loses a race runs again; who cannot know what was kept is told so."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, OperationalError, connection, transaction
from psycopg import errors

from dalhc.db import writer
from dalhc.db.inline import TIMES
from dalhc.db.refusals import Again, Busy, Unreachable

pytestmark = pytest.mark.django_db(transaction=True)


def failing(times: int, shown: type[Exception], cause: Exception) -> Callable[[], int]:
    """A write that fails so often after it has written, then returns how often it was run."""
    runs = 0

    def work() -> int:
        nonlocal runs
        runs += 1
        Group.objects.create(name=f"run {runs}")
        if runs <= times:
            raise shown(str(cause)) from cause
        return runs

    return work


@pytest.mark.parametrize(
    ("shown", "cause"),
    [
        (IntegrityError, errors.UniqueViolation()),
        (OperationalError, errors.DeadlockDetected()),
        (OperationalError, errors.SerializationFailure()),
    ],
)
def test_who_lost_a_race_runs_again_and_keeps_nothing_of_the_first_try(shown, cause):
    assert writer.write(failing(TIMES - 1, shown, cause)) == TIMES
    assert [group.name for group in Group.objects.all()] == [f"run {TIMES}"]


def test_what_moved_before_it_was_locked_runs_again_and_is_busy_at_last():
    with pytest.raises(Busy):
        writer.write(failing(TIMES, Again, ValueError()))
    assert writer.write(failing(TIMES - 1, Again, ValueError())) == TIMES
    assert [group.name for group in Group.objects.all()] == [f"run {TIMES}"]


def test_a_race_lost_too_often_is_busy():
    with pytest.raises(Busy):
        writer.write(failing(TIMES, OperationalError, errors.DeadlockDetected()))
    assert not Group.objects.exists()


def test_a_connection_that_went_before_the_commit_is_tried_once_more():
    gone = psycopg.OperationalError("server closed the connection unexpectedly")
    assert writer.write(failing(1, OperationalError, gone)) == 2
    assert Group.objects.count() == 1


def test_a_connection_that_went_at_the_commit_leaves_the_outcome_unknown(monkeypatch):
    work = failing(0, OperationalError, ValueError())

    def lost() -> None:
        cause = psycopg.OperationalError("server closed the connection unexpectedly")
        raise OperationalError("gone") from cause

    monkeypatch.setattr(connection, "_commit", lost)
    with pytest.raises(Unreachable, match="unknown"):
        writer.write(work)
    monkeypatch.undo()
    connection.close()
    assert work() == 2  # it had been run only once


def test_inside_anothers_transaction_a_deadlock_is_not_survived():
    with pytest.raises(Busy), transaction.atomic():
        writer.write(failing(1, OperationalError, errors.DeadlockDetected()))


def test_a_refusal_of_the_tables_that_stays_is_the_callers():
    Group.objects.create(name="taken")
    with pytest.raises(IntegrityError):
        writer.write(lambda: Group.objects.create(name="taken"))
