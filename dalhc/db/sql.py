"""Fixed SQL text on the current connection, for the few paths that every run takes.

On SQLite it goes straight to the library: Django's cursor wrappers cost more there than the
statement itself. Elsewhere, and while a test counts queries, it takes Django's own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection


def one(statement: str, params: Sequence[Any]) -> tuple[Any, ...] | None:
    """The first row, or None."""
    found: tuple[Any, ...] | None
    if not _is_direct():
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            found = cursor.fetchone()
        return found
    with connection.wrap_database_errors:
        found = connection.connection.execute(_sqlite(statement), params).fetchone()
    return found


def rows(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Every row."""
    found: list[tuple[Any, ...]]
    if not _is_direct():
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            found = cursor.fetchall()
        return found
    with connection.wrap_database_errors:
        found = connection.connection.execute(_sqlite(statement), params).fetchall()
    return found


def run(statement: str, params: Sequence[Any]) -> int:
    """How many rows it changed."""
    if not _is_direct():
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            return int(cursor.rowcount)
    with connection.wrap_database_errors:
        return int(connection.connection.execute(_sqlite(statement), params).rowcount)


def run_many(statement: str, params: Iterable[Sequence[Any]]) -> None:
    """Once for each set of parameters."""
    if not _is_direct():
        with connection.cursor() as cursor:
            cursor.executemany(statement, list(params))
        return
    with connection.wrap_database_errors:
        connection.connection.executemany(_sqlite(statement), params)


def _is_direct() -> bool:
    """Only inside a transaction of SQLite: outside, a write must pass the backend's gate."""
    return (
        connection.vendor == "sqlite"
        and connection.in_atomic_block
        and not connection.force_debug_cursor
        and not connection.needs_rollback
    )


@lru_cache(maxsize=512)
def _sqlite(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
