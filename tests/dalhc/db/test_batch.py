"""A batch is written without savepoints, and with them only when a closure failed too late."""

from __future__ import annotations

import pytest
from django.db import connection

from dalhc.db import writer
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
