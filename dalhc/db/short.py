"""Writes that are one statement where every statement is a journey (PostgreSQL).

Such a statement holds only if all stands as its plan saw it; otherwise it changes nothing, and
the write goes the whole way, with its locks. It waits for no row that somebody has locked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dalhc.db import patience
from dalhc.db.inline import UNIQUE, WHOLE
from dalhc.db.refusals import StorageRefusal, Unreachable, is_lost, refusal, sqlstate
from dalhc.problems import Problem

# No such prepared statement, or one too many: somebody hands lines on between transactions.
STRANGE = ("26000", "42P05")


@dataclass(frozen=True, slots=True)
class Plan[T]:
    """One statement; `done` gives what the write returns once that has changed a row."""

    statement: str
    params: Sequence[Any]
    done: Callable[[], T]


class Short[T]:
    """A write with a shorter way. `plan` says None when there is none."""

    __slots__ = ("plan", "whole")

    def __init__(self, whole: Callable[[], T], plan: Callable[[], Plan[T] | None]) -> None:
        self.whole, self.plan = whole, plan

    def __call__(self) -> T:
        return self.whole()


def shortly[T](work: Short[T], whole: Callable[[Callable[[], T]], T]) -> T:
    """What the write returns, by its statement or by `whole`, which runs it with its locks.

    Raises Unreachable when nobody said what became of the statement and the whole way then
    refuses: it may have been kept, and what has happened since refuses it now.
    """
    database = connections[DEFAULT_DB_ALIAS]
    plan = work.plan() if _is_free(database) else None
    if plan is None:
        return whole(work.whole)
    try:
        changed = _changed(plan, database)
    except Error as error:
        if is_lost(error):
            database.close()
            return _again(work, whole)
        _require_way(error, database)
        changed = False
    return plan.done() if changed else whole(work.whole)


def _require_way(error: Error, database: BaseDatabaseWrapper) -> None:
    """Nothing was kept. Raises what the whole way would meet too."""
    state = sqlstate(error)
    if state in STRANGE:
        database.connection.close()  # this line is not what we take it for
        database.close()
    elif state not in {UNIQUE, *WHOLE} and (problem := refusal(error)):
        raise problem from error


def _again[T](work: Short[T], whole: Callable[[Callable[[], T]], T]) -> T:
    left = patience.left()
    if left is not None and left < patience.CONNECTING:
        raise Unreachable(retry_after=2)
    try:
        return whole(work.whole)
    except StorageRefusal:
        raise
    except Problem as problem:
        raise Unreachable(retry_after=2) from problem


def _is_free(database: BaseDatabaseWrapper) -> bool:
    """Whether a statement would be a transaction of its own, on a line that is open: the whole
    way opens one, and says what is wrong when it cannot.
    """
    if database.in_atomic_block or database.connection is None:
        return False
    if database.execute_wrappers or database.queries_logged:
        return False  # who looks at what is asked sees Django's own way
    return database.get_autocommit()


def _changed(plan: Plan[Any], database: BaseDatabaseWrapper) -> bool:
    """Whether it changed a row. Without Django's cursor, which costs more than the journey."""
    with database.wrap_database_errors:
        sent: int = database.connection.execute_prepared(plan.statement, plan.params)
        return sent > 0
