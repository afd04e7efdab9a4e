"""Django's SQLite backend through the safe library, with the gate before every write."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import tee
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3._functions import (  # type: ignore[import-untyped]
    register as register_functions,
)
from django.utils.asyncio import async_unsafe

from dalhc.db.sqlite import BUSY_SECONDS, checks, present
from dalhc.db.sqlite.gate import Gate, gate_of
from dalhc.db.sqlite.library import Connection, sqlite

__all__ = ["Cursor", "DatabaseWrapper", "checks"]

WRITES = frozenset(
    ["INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "ALTER", "DROP", "ANALYZE", "REINDEX"]
)

# What Django registers on the standard library's module, on the one in use.
sqlite.register_adapter(decimal.Decimal, str)
sqlite.register_adapter(datetime.date, base.adapt_date)
sqlite.register_adapter(datetime.datetime, base.adapt_datetime)


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection. It holds the gate from BEGIN to COMMIT, ROLLBACK or close."""

    Database = sqlite
    init_commands: list[str]
    transaction_mode: str | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._gate: Gate | None = None

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        # Django's fields convert what they read; the library's own conversion by declared type
        # looks at every column of every statement and costs more than most of them.
        conn_params |= {"database": str(conn_params["database"]), "detect_types": 0}
        connection = sqlite.connect(factory=Connection, **conn_params)
        register_functions(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA legacy_alter_table = OFF")
        for command in filter(None, map(str.strip, self.init_commands)):
            connection.execute(command)
        if not self.is_in_memory_db():
            present.register(conn_params["database"])
        return connection

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor

    def must_enter(self, query: str) -> bool:
        """Whether this statement writes outside a transaction: the gate is still ahead."""
        return self._gate is None and _writes(query)

    @contextmanager
    def gated(self) -> Iterator[None]:
        """Hold the gate for one statement."""
        self._enter_gate()
        try:
            yield
        finally:
            self._leave_gate()

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors:
            self._enter_gate()
        try:
            # Straight to the library: a cursor of Django's costs more than a BEGIN.
            with self.wrap_database_errors:
                self.connection.execute(f"BEGIN {self.transaction_mode or ''}")
        except BaseException:
            self._leave_gate()
            raise

    def begin_batch(self) -> None:
        """As set_autocommit(False), for the writer, which begins thousands of times a second:
        Django asks there, again and again, for what cannot be otherwise in its thread.
        """
        self.ensure_connection()
        self._start_transaction_under_autocommit()
        self.autocommit = False
        self.needs_rollback = False
        # From here on `atomic()` in a closure makes a savepoint, as inside any transaction.
        self.in_atomic_block = True

    def commit_batch(self) -> None:
        """As commit() and set_autocommit(True)."""
        self.in_atomic_block = False
        self._commit()
        self.autocommit = True

    def _commit(self) -> None:
        # When it fails the transaction is still open, and so is the gate.
        super()._commit()  # type: ignore[misc]
        self._leave_gate()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave_gate()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave_gate()

    def _enter_gate(self) -> None:
        gate = gate_of(str(self.settings_dict["NAME"]), in_memory=self.is_in_memory_db())
        if not gate.enter(self.settings_dict["OPTIONS"].get("timeout", BUSY_SECONDS)):
            raise sqlite.OperationalError("database is locked: its gate stayed closed")
        self._gate = gate

    def _leave_gate(self) -> None:
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.leave()


class Cursor(sqlite.Cursor):  # type: ignore[misc]
    """Django's placeholders in, SQLite's out; a write outside a transaction passes the gate."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        if self.wrapper.must_enter(query):
            with self.wrapper.gated():
                return self._execute(query, params)
        return self._execute(query, params)

    def executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        if self.wrapper.must_enter(query):
            with self.wrapper.gated():
                return self._executemany(query, param_list)
        return self._executemany(query, param_list)

    def _execute(self, query: str, params: Any) -> Any:
        if params is None:
            return super().execute(query)
        return super().execute(_converted(query, _names(params)), params)

    def _executemany(self, query: str, param_list: Iterable[Any]) -> Any:
        peek, param_list = tee(iter(param_list))
        return super().executemany(_converted(query, _names(next(peek, None))), param_list)


def _names(params: Any) -> tuple[str, ...] | None:
    return tuple(params) if isinstance(params, Mapping) else None


@lru_cache(maxsize=2048)
def _writes(query: str) -> bool:
    first, _, _ = query.lstrip().partition(" ")
    return first.upper() in WRITES


@lru_cache(maxsize=2048)
def _converted(query: str, names: tuple[str, ...] | None) -> str:
    if names is not None:
        return query % {name: f":{name}" for name in names}
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
