"""Threads that write for coroutines: bounded, and told of every outcome."""

from __future__ import annotations

import threading

import psycopg
import pytest
from django.db import OperationalError

from dalhc.db import threads
from dalhc.db.refusals import Busy
from dalhc.db.threads import Threads, read_again


@pytest.fixture
def two():
    pool = Threads(2, "test")
    yield pool
    pool.stop()


def test_a_result_and_an_error_come_back(two):
    assert two.submit(lambda: 7).result(5) == 7
    assert isinstance(two.submit(lambda: 1 // 0).exception(5), ZeroDivisionError)


def test_a_queue_that_is_full_says_busy(two, monkeypatch):
    monkeypatch.setattr(threads, "QUEUE", 2)
    hold, begun = threading.Event(), threading.Barrier(3)
    for _ in range(2):
        two.submit(lambda: (begun.wait(5), hold.wait(5)))
    begun.wait(5)
    waiting = [two.submit(lambda: 1), two.submit(lambda: 2)]
    with pytest.raises(Busy):
        two.submit(lambda: 3)
    hold.set()
    assert [future.result(5) for future in waiting] == [1, 2]


def test_what_has_queued_is_done_before_the_end_and_nothing_after():
    pool = Threads(1, "test")
    futures = [pool.submit(lambda n=n: n) for n in range(20)]
    pool.stop()
    assert [future.result(0) for future in futures] == list(range(20))
    with pytest.raises(Busy):
        pool.submit(lambda: 1)


def test_a_read_meets_a_connection_that_has_gone_only_once():
    tries = []

    def read() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OperationalError("gone") from psycopg.OperationalError("gone")
        return "read"

    assert read_again(read) == "read"


def test_any_other_failure_of_a_read_is_not_repeated():
    tries = []

    def read() -> None:
        tries.append(1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read_again(read)
    assert len(tries) == 1
