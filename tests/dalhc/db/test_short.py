"""A write in one statement: kept or changed into the whole one, and never both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from psycopg import errors

from dalhc.db import patience, short, writer
from dalhc.db.refusals import Busy, Unreachable
from dalhc.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ADD = "INSERT INTO auth_group (name) SELECT %s WHERE NOT %s"


def planned(name: str, moved: bool = False) -> writer.Plan[str]:
    """A plan that adds a group; none, when what it saw has `moved`."""
    return writer.Plan(ADD, (name, moved), lambda: f"{name} at once")


def adding(name: str, plan: Callable[[], Any] | None = None) -> writer.Short[str]:
    """Adds a group of this name, the long way under another one."""

    def whole() -> str:
        Group.objects.create(name=f"{name} the whole way")
        return f"{name} the whole way"

    return writer.Short(whole, plan or partial(planned, name))


def names() -> list[str]:
    return sorted(Group.objects.values_list("name", flat=True))


@pytest.fixture(autouse=True)
def _line() -> None:
    connection.ensure_connection()


def test_it_is_kept_by_its_statement_alone():
    assert writer.write(adding("a")) == "a at once"
    assert names() == ["a"]


@pytest.mark.parametrize("plan", [lambda: None, lambda: planned("a", moved=True)])
def test_what_has_no_plan_or_stands_elsewhere_goes_the_whole_way(plan):
    assert writer.write(adding("a", plan)) == "a the whole way"
    assert names() == ["a the whole way"]


def test_within_a_transaction_it_goes_the_whole_way():
    with transaction.atomic():
        assert writer.write(adding("a")) == "a the whole way"


def test_without_a_line_it_goes_the_whole_way_which_opens_one():
    connection.close()
    assert writer.write(adding("a")) == "a the whole way"
    assert writer.write(adding("b")) == "b at once"


def test_what_is_there_already_goes_the_whole_way():
    Group.objects.create(name="a")
    assert writer.write(adding("a")) == "a the whole way"


def test_what_fails_otherwise_goes_the_whole_way():
    wrong = writer.Plan("INSERT INTO nowhere SELECT %s", ("a",), lambda: "a")
    assert writer.write(adding("a", lambda: wrong)) == "a the whole way"
    assert names() == ["a the whole way"]


def test_a_database_that_is_busy_says_so_at_once():
    slow = "INSERT INTO auth_group (name) SELECT %s FROM pg_sleep(2)"
    run("SET statement_timeout = '50ms'")
    with pytest.raises(Busy):
        writer.write(adding("a", lambda: writer.Plan(slow, ("a",), lambda: "a")))
    run("RESET statement_timeout")
    assert names() == []


def test_who_looks_at_what_is_asked_sees_the_whole_way():
    with CaptureQueriesContext(connection) as asked:
        assert writer.write(adding("a")) == "a the whole way"
    assert any("auth_group" in one["sql"] for one in asked.captured_queries)


def test_a_plan_that_fails_is_told_and_nothing_is_kept():
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        writer.write(adding("a", broken))
    assert names() == []


def lost(*_: object) -> bool:
    raise OperationalError("gone") from errors.AdminShutdown()


def test_after_a_lost_line_it_goes_the_whole_way(monkeypatch):
    monkeypatch.setattr(short, "_changed", lost)
    assert writer.write(adding("a")) == "a the whole way"


def test_what_then_refuses_it_may_come_of_itself_and_nobody_is_told_that_it_was_not_kept(
    monkeypatch,
):
    monkeypatch.setattr(short, "_changed", lost)

    def refused() -> str:
        raise Problem

    with pytest.raises(Unreachable):
        writer.write(writer.Short(refused, partial(planned, "a")))


def test_a_storage_that_fails_again_says_why(monkeypatch):
    monkeypatch.setattr(short, "_changed", lost)

    def busy() -> str:
        raise Busy(retry_after=1)

    with pytest.raises(Busy):
        writer.write(writer.Short(busy, partial(planned, "a")))


def test_with_too_little_patience_left_it_is_told_that_nobody_knows(monkeypatch):
    monkeypatch.setattr(short, "_changed", lost)
    with patience.within(patience.CONNECTING - 1), pytest.raises(Unreachable):
        writer.write(adding("a"))
    assert names() == []


def run(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def prepared() -> list[str]:
    """On this line, which other tests have used before."""
    found = run("SELECT statement FROM pg_prepared_statements")
    return [text for (text,) in found]


def test_it_is_planned_once_for_each_line_also_where_others_are_refused():
    writer.write(adding("a"))
    before = prepared()
    assert "INSERT INTO auth_group (name) SELECT $1 WHERE NOT $2" in before
    for number in range(12):
        writer.write(adding(f"a{number}"))
        with pytest.raises(IntegrityError), transaction.atomic():
            Group.objects.create(name=f"a{number}")
    assert prepared() == before


def test_nothing_is_remembered_of_what_django_asks():
    writer.write(adding("a"))
    before = prepared()
    for _ in range(12):
        names()
    assert prepared() == before
    assert len(connection.connection._prepared._counts) == 0


def test_a_line_whose_statements_are_gone_is_given_up_for_another():
    """As behind a pooler that hands lines on between transactions."""
    writer.write(adding("a"))
    line = connection.connection
    line.pgconn.exec_(b"DEALLOCATE ALL")
    told = [writer.write(adding(name)) for name in "bcd"]
    assert told == ["b the whole way", "c at once", "d at once"]
    assert line.closed
