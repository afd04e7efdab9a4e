"""What a failing PostgreSQL says to whoever waits."""

from __future__ import annotations

import psycopg
import pytest
from django.db import DataError, InterfaceError, OperationalError, ProgrammingError
from psycopg import errors

from dalhc.db.refusals import Busy, StorageFull, Unreachable, is_lost, refusal


def behind(shown: type[Exception], cause: Exception) -> Exception:
    """As Django hands on what psycopg raised."""
    error = shown(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (errors.SerializationFailure(), Busy),
        (errors.DeadlockDetected(), Busy),
        (errors.LockNotAvailable(), Busy),
        (errors.QueryCanceled(), Busy),
        (errors.TooManyConnections(), Busy),
        (errors.DiskFull(), StorageFull),
        (errors.IoError(), StorageFull),
        (errors.ReadOnlySqlTransaction(), StorageFull),
        (errors.AdminShutdown(), Unreachable),
        (errors.CannotConnectNow(), Unreachable),
        (psycopg.OperationalError("server closed the connection unexpectedly"), Unreachable),
    ],
)
def test_a_failing_server_has_an_answer(cause, told):
    found = refusal(behind(OperationalError, cause))
    assert type(found) is told
    assert found.retry_after


def test_a_closed_connection_is_a_lost_one():
    error = behind(InterfaceError, psycopg.InterfaceError("the connection is closed"))
    assert is_lost(error)
    assert isinstance(refusal(error), Unreachable)


@pytest.mark.parametrize(
    "error",
    [
        behind(ProgrammingError, errors.UndefinedTable()),
        behind(DataError, errors.StringDataRightTruncation()),
        ValueError("full, locked, busy"),
    ],
)
def test_a_mistake_of_ours_stays_one(error):
    assert refusal(error) is None
    assert not is_lost(error)
