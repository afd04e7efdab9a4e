"""Writes that are one statement where every statement is a journey (PostgreSQL).

Such a statement holds only if all stands as its plan saw it; otherwise it changes nothing, and
the write goes the whole way, with its locks. A server sends what has queued together, in one
transaction that is one journey, as its writer does on SQLite.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from dalhc.db import patience
from dalhc.db.batch import Job
from dalhc.db.refusals import is_lost, refused, sqlstate

UNIQUE = "23505"
# Serialization failure, deadlock.
WHOLE = ("40001", "40P01")
# Of what a request may wait, this much for the shorter way.
SECONDS = 3.0

type Otherwise = Callable[[Job, float], object]  # the job, and since when it waits


@dataclass(frozen=True, slots=True)
class Plan[T]:
    """`done` is what the write returns once its statement has changed a row. Those that go
    together go in the order of their `place`, so that no two wait for each other.
    """

    place: str
    statement: str
    params: Sequence[Any]
    done: Callable[[], T]


class Short[T]:
    """A write with a shorter way. `plan` says None when there is none; `whole` may follow even
    where the statement was kept and nobody heard of it.
    """

    __slots__ = ("plan", "whole")

    def __init__(self, whole: Callable[[], T], plan: Callable[[], Plan[T] | None]) -> None:
        self.whole, self.plan = whole, plan

    def __call__(self) -> T:
        return self.whole()


def alone[T](work: Short[T]) -> T | None:
    """What the shorter way returns; None within a transaction and when it was not to be."""
    database = connections[DEFAULT_DB_ALIAS]
    if database.in_atomic_block or (plan := work.plan()) is None:
        return None
    with refused():
        return plan.done() if _changed([plan], database)[0] else None


def together(jobs: Iterator[Job], otherwise: Otherwise) -> Exception | None:
    """Write the plans of all these in one transaction; what has none, and everything if that
    fails, is handed to `otherwise`.
    """
    begun, database = time.monotonic(), connections[DEFAULT_DB_ALIAS]
    planned: list[tuple[Plan[Any], Job]] = []
    for job in jobs:
        plan = _planned(job)
        if plan is None:
            otherwise(job, begun)
        else:
            planned.append((plan, job))
    planned.sort(key=lambda one: one[0].place)
    try:
        with patience.within(SECONDS):
            changed = _changed([plan for plan, _ in planned], database)
    except Exception:
        changed = [False] * len(planned)
    for (plan, job), has in zip(planned, changed, strict=True):
        if has:
            job.told(plan.done(), None)
        else:
            otherwise(job, begun)
    return None


def _planned(job: Job) -> Plan[Any] | None:
    try:
        found: Plan[Any] | None = job.work.plan()  # type: ignore[attr-defined]
    except Exception:
        return None  # the whole way says what is wrong
    return found


def _changed(plans: Sequence[Plan[Any]], database: BaseDatabaseWrapper) -> list[bool]:
    """Which of them changed a row; all together are one transaction, and none did when that
    failed as it may when others write at once. Raises what else goes wrong.
    """
    try:
        return [number > 0 for number in _sent(plans, database)]
    except Error as error:
        if is_lost(error):
            database.close()
        elif sqlstate(error) not in {UNIQUE, *WHOLE}:
            raise
        return [False] * len(plans)


def _sent(plans: Sequence[Plan[Any]], database: BaseDatabaseWrapper) -> list[int]:
    """Planned by the database once for each connection, and without Django's cursor, which
    costs more than the journey.
    """
    from psycopg import Cursor

    database.ensure_connection()
    wire = database.connection
    with database.wrap_database_errors:
        if len(plans) == 1:
            sent = [Cursor(wire).execute(plans[0].statement, plans[0].params, prepare=True)]
        else:
            # Until the end of the pipeline it is one transaction: the wire is in autocommit.
            with wire.pipeline():
                sent = [Cursor(wire) for _ in plans]
                for cursor, plan in zip(sent, plans, strict=True):
                    cursor.execute(plan.statement, plan.params, prepare=True)
        return [cursor.rowcount for cursor in sent]
