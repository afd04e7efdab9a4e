"""The backend opens connections that keep what was acknowledged, and passes the gate before it
writes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction

from dalhc.db.sqlite import PRAGMAS, library
from dalhc.db.sqlite.base import DatabaseWrapper
from dalhc.db.sqlite.gate import gate_of

pytestmark = pytest.mark.django_db(transaction=True)

EFFECTIVE = {
    "journal_mode": "wal",
    "synchronous": 2,
    "wal_autocheckpoint": 1000,
    "journal_size_limit": 67_108_864,
    "cell_size_check": 1,
    "temp_store": 2,
    "cache_size": -16_000,
    "foreign_keys": 1,
    "legacy_alter_table": 0,
    "trusted_schema": 1,
    "mmap_size": 0,
    "busy_timeout": 20_000,
}


@pytest.fixture
def table() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE gate_test (n INTEGER)")
    yield "gate_test"
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE gate_test")


@pytest.mark.parametrize("pragma", EFFECTIVE)
def test_a_pragma_is_in_effect(pragma: str):
    with connection.cursor() as cursor:
        row = cursor.execute(f"PRAGMA {pragma}").fetchone()
    assert row == ((EFFECTIVE[pragma],) if row else None)


def test_every_pragma_we_set_is_looked_at():
    assert set(PRAGMAS) <= set(EFFECTIVE)


def test_a_connection_speaks_through_the_chosen_library():
    connection.ensure_connection()
    assert isinstance(connection.connection, library.sqlite.Connection)
    assert connection.features.max_query_params >= 32_766


def test_a_transaction_takes_the_write_lock_when_it_begins(table: str):
    second = raw()
    second.execute("PRAGMA busy_timeout = 1")
    locked = pytest.raises(library.sqlite.OperationalError, match="locked")
    with transaction.atomic(), locked:
        second.execute("BEGIN IMMEDIATE")
    second.close()


def test_the_gate_is_held_from_begin_to_commit_and_given_back_after_a_rollback():
    gate = gate_of(str(connection.settings_dict["NAME"]), in_memory=False)
    with transaction.atomic():
        assert not gate.enter(0)
    assert gate.enter(0)
    gate.leave()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        raise ZeroDivisionError
    assert gate.enter(0)
    gate.leave()


def test_a_single_write_outside_a_transaction_takes_the_gate(table: str):
    """Trap 3: a login or an admin page writes without `atomic()`, beside the writer."""
    gate = gate_of(str(connection.settings_dict["NAME"]), in_memory=False)
    assert gate.enter(1)
    wrote: list[float] = []
    begun = time.monotonic()
    thread = threading.Thread(target=lambda: wrote.append(insert(table) - begun))
    thread.start()
    time.sleep(0.2)
    assert not wrote
    assert count(table) == 0, "a read needs no gate"
    gate.leave()
    thread.join()
    assert wrote[0] >= 0.2


def test_a_gate_that_stays_closed_is_a_locked_database(table: str, monkeypatch):
    gate = gate_of(str(connection.settings_dict["NAME"]), in_memory=False)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
    assert gate.enter(1)
    try:
        with pytest.raises(OperationalError, match="locked"):
            insert(table)
        with pytest.raises(OperationalError, match="locked"), transaction.atomic():
            pass
    finally:
        gate.leave()
    insert(table)
    assert count(table) == 1


def test_closing_in_the_middle_of_a_transaction_opens_the_gate():
    other = copy()
    other.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    other.close()
    with transaction.atomic():
        pass


def test_named_and_positional_parameters_and_percent_signs(table: str):
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} VALUES (%(n)s)", {"n": 7})
        cursor.executemany(f"INSERT INTO {table} VALUES (%s)", [(8,), (9,)])
        cursor.executemany(f"INSERT INTO {table} VALUES (%(n)s)", [{"n": 10}])
        cursor.execute(f"SELECT n, '100%%' FROM {table} WHERE n > %s ORDER BY n", [7])
        assert cursor.fetchall() == [(8, "100%"), (9, "100%"), (10, "100%")]


def test_eight_threads_write_without_one_locked_error(table: str):
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                with transaction.atomic():
                    insert(table)
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert count(table) == 160


def insert(table: str) -> float:
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} VALUES (1)")
    if (
        threading.current_thread() is not threading.main_thread()
        and not connection.in_atomic_block
    ):
        connections.close_all()
    return time.monotonic()


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return int(cursor.fetchone()[0])


def raw() -> Any:
    return library.sqlite.connect(str(connection.settings_dict["NAME"]), isolation_level=None)


def copy() -> DatabaseWrapper:
    return DatabaseWrapper({**connection.settings_dict}, alias="copy")
