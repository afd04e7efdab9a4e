"""A request waits for so long and no longer, whatever it waits for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connection

from dalhc.db import patience, writer
from dalhc.db.patient.wire import Wire
from dalhc.db.refusals import Busy, Unreachable
from dalhc.db.threads import in_time
from tests.databases import database_of
from tests.proxy import Proxy


@pytest.fixture
def limited() -> Iterator[None]:
    patience.limit(patience.SECONDS)
    yield
    patience.limit(None)


def test_a_command_waits_as_long_as_it_takes():
    assert patience.left() is None
    assert in_time(time.monotonic() - 3_600, patience.left) is None


@pytest.mark.usefixtures("limited")
def test_what_has_queued_too_long_is_busy_and_is_not_begun():
    begun: list[int] = []
    with pytest.raises(Busy):
        in_time(time.monotonic() - patience.SECONDS, lambda: begun.append(1))
    assert begun == []


@pytest.mark.usefixtures("limited")
def test_time_in_the_queue_is_waited_time():
    left = in_time(time.monotonic() - 3, patience.left)
    assert left == pytest.approx(patience.SECONDS - 3, abs=0.5)


def test_each_wait_leaves_less_for_the_next_and_work_leaves_it_alone():
    with patience.within(5):
        with patience.spent():
            time.sleep(0.05)
            with patience.spent():  # is not counted twice
                time.sleep(0.05)
        time.sleep(0.1)
        assert 4.8 < (patience.left() or 0) <= 4.9
        with patience.within(1):
            assert patience.left() == 1
    assert patience.left() is None


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    found = Proxy(database_of(tmp_path))
    yield found
    found.close()


@pytest.mark.postgres
def test_a_line_that_falls_silent_is_given_up_in_time_and_is_not_used_again(proxy):
    with Wire.connect(proxy.url, autocommit=True) as wire:
        wire.execute("SELECT 1")
        proxy.silence.set()
        begun = time.monotonic()
        with patience.within(0.3), pytest.raises(psycopg.OperationalError, match="in time"):
            wire.execute("SELECT 1")
        assert 0.3 <= time.monotonic() - begun < 2
        assert wire.closed


@pytest.mark.postgres
def test_with_nothing_left_the_next_answer_is_not_waited_for(proxy):
    wire = Wire.connect(proxy.url, autocommit=True)
    with patience.within(-1), pytest.raises(psycopg.OperationalError, match="in time"):
        wire.execute("SELECT pg_sleep(1)")
    assert wire.closed


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_statement_that_takes_too_long_is_unreachable_and_what_it_did_unknown():
    def work() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    begun = time.monotonic()
    with patience.within(0.3), pytest.raises(Unreachable, match="unknown"):
        writer.write(work)
    assert time.monotonic() - begun < 3
    writer.write(lambda: None)  # on another connection


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_waited_for_is_waited_time(monkeypatch):
    connection.close()
    monkeypatch.setattr(connection.pool, "getconn", _slow)
    with patience.within(1):
        with pytest.raises(OperationalError):
            connection.ensure_connection()
        assert (patience.left() or 0) < 0.95


def _slow(*_: object) -> None:
    time.sleep(0.1)
    raise psycopg.OperationalError("none to be had")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_transaction_whose_line_fell_silent_ends_without_waiting_for_a_new_one(monkeypatch):
    begun = time.monotonic()
    with patience.within(0.3), pytest.raises(Unreachable):
        writer.write(lambda: _asleep(monkeypatch))
    assert time.monotonic() - begun < 2


def _asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is given up, and no other is to be had for a long time."""
    monkeypatch.setattr(connection.pool, "getconn", lambda *_: time.sleep(5))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(5)")
