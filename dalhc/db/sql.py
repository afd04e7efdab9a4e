"""Fixed SQL text on the current connection, for the few paths that every run takes.

In the writer's thread, and for what is only read, it goes straight to SQLite: Django's cursor
wrappers cost more there than the statement itself. Elsewhere, and while a test counts queries,
it takes Django's own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dalhc.db.batch import inside


def one(statement: str, params: Sequence[Any]) -> tuple[Any, ...] | None:
    """The first row, or None."""
    found: tuple[Any, ...] | None
    if inside.library is not None:
        found = inside.library.execute(_sqlite(statement), params).fetchone()
        return found
    if (database := _direct(statement)) is not None:
        with database.wrap_database_errors:
            found = database.connection.execute(_sqlite(statement), params).fetchone()
        return found
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found = cursor.fetchone()
    return found


def rows(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Every row."""
    found: list[tuple[Any, ...]]
    if inside.library is not None:
        found = inside.library.execute(_sqlite(statement), params).fetchall()
        return found
    if (database := _direct(statement)) is not None:
        with database.wrap_database_errors:
            found = database.connection.execute(_sqlite(statement), params).fetchall()
        return found
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found = cursor.fetchall()
    return found


def run(statement: str, params: Sequence[Any]) -> int:
    """How many rows it changed."""
    if inside.library is not None:
        return int(inside.library.execute(_sqlite(statement), params).rowcount)
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return int(cursor.rowcount)


def run_many(statement: str, params: Sequence[Sequence[Any]]) -> None:
    """Once for each set of parameters."""
    if inside.library is not None:
        if len(params) == 1:
            inside.library.execute(_sqlite(statement), params[0])
        else:
            inside.library.executemany(_sqlite(statement), params)
        return
    if len(params) == 1:
        # Of many, PostgreSQL is told by and by. One who falls silent in between is no idle
        # transaction to it, and keeps its locks until its line is known to be dead.
        run(statement, params[0])
        return
    with connection.cursor() as cursor:
        cursor.executemany(statement, params)


def for_update() -> str:
    """The words that lock the rows of a SELECT until the transaction ends; on SQLite a write
    has the file to itself already.
    """
    return " FOR UPDATE" if is_postgresql() else ""


def lock_names(names: Iterable[str]) -> None:
    """Hold these words until the transaction ends, where several write at once: for what has no
    row to lock yet. In one order for everybody; on SQLite a write has the file to itself.
    """
    if is_postgresql():
        for name in sorted(set(names)):
            run("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))


def hold_names(names: Iterable[str]) -> bool:
    """As lock_names, for who has a row already and so must not wait: False when another has one
    of them.
    """
    if not is_postgresql():
        return True
    asked = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))"
    return all((one(asked, (name,)) or (False,))[0] for name in sorted(set(names)))


@cache
def is_postgresql() -> bool:
    """Asked on every statement of some paths, so not of Django's connection each time."""
    return connection.vendor == "postgresql"


def _direct(statement: str) -> BaseDatabaseWrapper | None:
    """This thread's connection to SQLite, if it is open and nobody counts or wraps queries.
    Whatever may write waits for the gate, and so takes Django's way.
    """
    if is_postgresql() or not statement.startswith("SELECT "):
        return None
    database = connections[DEFAULT_DB_ALIAS]
    if database.connection is None or database.execute_wrappers or database.queries_logged:
        return None
    if database.needs_rollback:
        return None  # Django refuses it
    return database


@lru_cache(maxsize=512)
def _sqlite(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
