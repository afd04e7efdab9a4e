"""The write-ahead log is short again soon after a reader that stayed has left."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from dalhc.clock import now_ms
from dalhc.db.sqlite import wal
from dalhc.db.sqlite.library import sqlite

pytestmark = pytest.mark.django_db(transaction=True)

LIMIT = 1 << 20


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A limit that a test can pass, and a table to pass it with."""
    monkeypatch.setattr(wal, "LIMIT", LIMIT)
    monkeypatch.setattr(wal, "_is_told", False)
    _run("PRAGMA wal_checkpoint(TRUNCATE)")  # what tests before this one have left
    _run("CREATE TABLE filled (data BLOB)")
    yield
    _run("DROP TABLE filled")


@pytest.fixture
def reader(filled: None) -> Iterator[Any]:
    """Somebody who began to read and stays."""
    found = sqlite.connect(connection.settings_dict["NAME"])
    found.execute("BEGIN")
    found.execute("SELECT count(*) FROM filled").fetchone()
    yield found
    found.close()


def test_it_is_said_while_a_reader_stays_and_shortened_once_it_has_left(reader, caplog):
    _fill()
    with caplog.at_level(logging.INFO, "dalhc.storage"):
        wal.sweep()
        assert wal.size() > LIMIT
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "has been reading" in caplog.text
        wal.sweep()
        assert len(caplog.records) == 1  # not again every ten seconds
        reader.rollback()
        wal.sweep()
    assert wal.size() == 0
    assert caplog.records[-1].levelname == "INFO"


def test_nobody_waits_for_the_reader(reader):
    _fill()
    begun = now_ms()
    wal.sweep()
    _run("INSERT INTO filled VALUES (1)")
    assert now_ms() - begun < 2_000
    assert _run("PRAGMA busy_timeout") == [(20_000,)]


def test_a_short_one_is_left_alone_and_looked_at_again(filled, caplog):
    _run("INSERT INTO filled VALUES (1)")
    before = wal.size()
    assert 0 < before < LIMIT
    again = wal.sweep()
    assert again is not None
    assert 0 < again - now_ms() <= wal.EVERY_MS
    assert wal.size() == before
    assert caplog.records == []


def test_the_limit_is_sixty_four_mebibytes_and_the_look_comes_within_the_minute():
    assert wal.LIMIT == 64 << 20
    assert wal.EVERY_MS <= 60_000


def _fill() -> None:
    for _ in range(4):
        _run("INSERT INTO filled VALUES (zeroblob(524288))")


def _run(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []
