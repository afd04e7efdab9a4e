"""A batch is written without savepoints, and with them only when a closure failed too late."""

from __future__ import annotations

import pytest
from django.db import connection

from dalhc.db import queue, writer
from dalhc.db.sqlite.base import DatabaseWrapper
from tests.dalhc.db.writing import Held, Refused, add, kept

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]


class Unmoved(Exception):
    """Raised by a closure that has read and found nothing to do."""


def test_a_refusal_before_the_first_write_costs_its_neighbours_nothing(table, thread):
    runs: list[int] = []

    def early(number: int) -> int:
        runs.append(number)
        raise Refused if number % 2 else Unmoved

    with Held():
        futures = [writer.submit(lambda n=n: early(n)) for n in range(6)]
        futures.append(writer.submit(lambda: add(7)))
    outcomes = [type(future.exception(5)) for future in futures]
    assert outcomes == [Unmoved, Refused] * 3 + [type(None)]
    assert runs == list(range(6))
    assert kept() == [7]


def test_a_failure_after_a_write_runs_its_batch_again_and_keeps_each_neighbour_once(
    table, thread
):
    rung: list[int] = []

    def told(number: int) -> int:
        writer.after_commit(lambda: rung.append(number))
        return add(number)

    def late(number: int) -> int:
        told(number)
        raise Refused

    with Held():
        futures = [
            writer.submit(lambda n=n: late(n) if n in {2, 5} else told(n)) for n in range(8)
        ]
    outcomes = [type(future.exception(5)) for future in futures]
    assert outcomes.count(Refused) == 2
    assert kept() == rung == [0, 1, 3, 4, 6, 7]


def test_a_closure_that_closes_its_connection_loses_itself_alone(table, thread):
    def close() -> None:
        connection.close()

    with pytest.raises(Exception, match="closed"):
        writer.write(close)
    assert writer.write(lambda: add(1)) == 1


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each COMMIT from now on."""
    commits: list[int] = []
    commit = DatabaseWrapper.commit_batch

    def count(database: DatabaseWrapper) -> None:
        commits.append(1)
        commit(database)

    monkeypatch.setattr(DatabaseWrapper, "commit_batch", count)
    return commits


def test_what_has_queued_is_committed_once(table: None, thread: None, monkeypatch):
    commits = counted(monkeypatch)
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(20)]
    assert [future.result(5) for future in futures] == list(range(20))
    assert len(commits) == 1
    assert kept() == list(range(20))


def test_a_batch_is_bounded(table: None, thread: None, monkeypatch):
    monkeypatch.setattr(queue, "BATCH", 4)
    commits = counted(monkeypatch)
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(9)]
    assert [future.result(5) for future in futures] == list(range(9))
    assert len(commits) >= 3
