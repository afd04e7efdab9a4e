"""Fixed SQL is Django's connection by a shorter way: the same rows, the same refusals."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from dalhc.db import sql, writer

pytestmark = pytest.mark.django_db

TWO = "SELECT id FROM processes_process UNION ALL SELECT %s UNION ALL SELECT '%%'"


def found() -> tuple[object, object]:
    return sql.one(TWO, ("a",)), sql.rows(TWO, ("a",))


def test_a_read_finds_the_same_by_every_way():
    told = (("a",), [("a",), ("%",)])
    assert found() == told
    assert writer.write(found) == told
    with CaptureQueriesContext(connection) as asked:
        assert found() == told
    assert len(asked) == 2


def test_a_read_within_a_transaction_sees_what_that_has_written():
    with transaction.atomic():
        sql.run("INSERT INTO descriptors_incarnation (id, name) VALUES (1, %s)", ("a" * 16,))
        assert sql.one("SELECT name FROM descriptors_incarnation", ()) == ("a" * 16,)
        transaction.set_rollback(True)
    assert sql.one("SELECT name FROM descriptors_incarnation", ()) is None


def test_a_read_that_fails_is_an_error_of_django():
    for read in (sql.one, sql.rows):
        with pytest.raises(DatabaseError), transaction.atomic():
            read("SELECT nothing FROM nowhere", ())


def test_nothing_is_read_in_a_transaction_that_is_broken():
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            sql.one("SELECT 1", ())
        with pytest.raises(TransactionManagementError):
            sql.rows("SELECT 1", ())
