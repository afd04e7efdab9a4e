"""A write in one statement: kept or changed into the whole one, and never both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError, connection, transaction
from psycopg import errors

from dalhc.db import short, writer
from dalhc.db.batch import fulfil
from dalhc.db.refusals import Unreachable

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

OURS = "WHERE name LIKE 'n%'"
ADD = "INSERT INTO auth_group (name) SELECT %s WHERE NOT %s"


@pytest.fixture
def begun() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


def planned(name: str, moved: bool = False) -> writer.Plan[str]:
    """A plan that adds a group; none, when what it saw has `moved`."""
    return writer.Plan(name, ADD, (name, moved), lambda: f"{name} at once")


def adding(name: str, plan: Callable[[], Any] | None = None) -> writer.Short[str]:
    """Adds a group of this name, the long way under another one."""

    def whole() -> str:
        Group.objects.create(name=f"{name} the whole way")
        return f"{name} the whole way"

    return writer.Short(whole, plan or partial(planned, name))


def names() -> list[str]:
    return sorted(Group.objects.values_list("name", flat=True))


def sent(works: list[writer.Short[str]]) -> list[Future[str]]:
    """Queued together: the first plan is made once the last is in the queue."""
    queued, futures = threading.Event(), []
    first = adding("gate", lambda: queued.wait(5) and None)
    for work in (first, *works):
        future: Future[str] = Future()
        writer.send(work, partial(fulfil, future))
        futures.append(future)
    queued.set()
    assert futures[0].result(5) == "gate the whole way"
    return futures[1:]


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


def test_what_is_there_already_goes_the_whole_way():
    Group.objects.create(name="a")
    assert writer.write(adding("a")) == "a the whole way"


def test_what_fails_otherwise_is_raised_and_nothing_is_kept():
    wrong = writer.Plan("a", "INSERT INTO nowhere SELECT %s", ("a",), lambda: "a")
    with pytest.raises(Exception, match="nowhere"):
        writer.write(adding("a", lambda: wrong))
    assert names() == []


def test_what_has_queued_is_one_transaction(begun):
    futures = sent([adding(f"n{number}") for number in range(20)])
    assert [one.result(5) for one in futures] == [f"n{n} at once" for n in range(20)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT xmin::text) FROM auth_group WHERE name LIKE 'n%%'"
        )
        assert cursor.fetchone() == (1,)


def test_who_stands_elsewhere_does_not_hold_up_those_beside_it(begun):
    moved = adding("b", lambda: planned("b", moved=True))
    futures = sent([adding("a"), moved, adding("c")])
    told = [one.result(5) for one in futures]
    assert told == ["a at once", "b the whole way", "c at once"]


def test_when_one_is_there_already_all_beside_it_go_the_whole_way(begun):
    Group.objects.create(name="b")
    futures = sent([adding("a"), adding("b"), adding("c")])
    told = [one.result(5) for one in futures]
    assert told == [f"{name} the whole way" for name in "abc"]
    assert names() == [
        "a the whole way", "b", "b the whole way", "c the whole way", "gate the whole way"
    ]  # fmt: skip


def test_a_plan_that_fails_is_the_whole_ways_to_explain(begun):
    def broken() -> None:
        raise ZeroDivisionError

    [told, beside] = sent([adding("a", broken), adding("b")])
    assert (told.result(5), beside.result(5)) == ("a the whole way", "b at once")


def test_after_a_lost_connection_it_goes_the_whole_way(monkeypatch, begun):
    def lost(*_: object) -> list[int]:
        raise OperationalError("gone") from errors.AdminShutdown()

    monkeypatch.setattr(short, "_sent", lost)
    assert writer.write(adding("a")) == "a the whole way"
    assert [one.result(5) for one in sent([adding("b")])] == ["b the whole way"]


def test_what_the_whole_way_raises_is_told(begun):
    def whole() -> str:
        raise Unreachable

    [told] = sent([writer.Short(whole, lambda: None)])
    with pytest.raises(Unreachable):
        told.result(5)
