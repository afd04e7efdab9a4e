"""What a failing database says to whoever waits: busy, out of storage, or out of reach."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, OperationalError

from dalhc.db.sqlite.library import sqlite
from dalhc.problems import Problem

_BUSY = ("locked", "busy")
_FAILING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
_STORAGE = ("disk i/o", "full", "unable to open", "readonly", "malformed", "not a database")


class StorageRefusal(Exception):
    """The storage's refusal, whatever was asked of it: the same may succeed later."""


class Busy(StorageRefusal, Problem):
    """The database is busy; send the same request again in a moment."""


class StorageFull(StorageRefusal, Problem):
    """The storage is full or failing; whether this was kept is unknown, and the same request
    may be sent again.
    """


class Unreachable(StorageRefusal, Problem):
    """The database cannot be reached; whether this was kept is unknown, and the same request
    may be sent again.
    """


class Again(Exception):
    """What a write went by changed before it had its locks: it runs again from the start."""


# By PostgreSQL's SQLSTATE, or the class it begins with: serialization and deadlock, a lock not
# to be had, a statement that took too long, too many connections; no room, no memory, I/O.
_STATES: dict[str, type[Problem]] = {
    "40": Busy, "55P03": Busy, "57014": Busy, "53300": Busy, "25P03": Busy,
    "53": StorageFull, "58": StorageFull, "25006": StorageFull, "XX001": StorageFull,
    "08": Unreachable, "57P": Unreachable,
}  # fmt: skip


def refusal(error: BaseException) -> Problem | None:
    """The problem to answer with, or None when the error is not the storage's fault."""
    if isinstance(error, OSError) and error.errno in _FAILING:
        return StorageFull(retry_after=5)
    if isinstance(error, Again):
        return Busy(retry_after=1)
    if not isinstance(error, DatabaseError | InterfaceError | sqlite.DatabaseError):
        return None
    if is_postgres(error):
        return _of_postgres(error)
    said = str(error).lower()
    if any(word in said for word in _BUSY):
        return Busy(retry_after=1)
    if any(word in said for word in _STORAGE):
        return StorageFull(retry_after=5)
    return None


def is_postgres(error: BaseException) -> bool:
    """Whether psycopg raised it, behind Django's own exception."""
    return type(error.__cause__).__module__.startswith("psycopg")


def sqlstate(error: BaseException) -> str | None:
    """PostgreSQL's own code; None when the server said nothing, as when it was gone."""
    found: str | None = getattr(error.__cause__, "sqlstate", None)
    return found


def is_lost(error: BaseException) -> bool:
    """Whether the connection went, so that nobody told us what became of the transaction."""
    if not is_postgres(error) or not isinstance(error, OperationalError | InterfaceError):
        return False
    state = sqlstate(error)
    return state is None or state.startswith(("08", "57P"))


def _of_postgres(error: BaseException) -> Problem | None:
    if is_lost(error):
        return Unreachable(retry_after=2)
    state = sqlstate(error) or ""
    told = next((_STATES[state[:n]] for n in (5, 3, 2) if state[:n] in _STATES), None)
    return told(retry_after=1 if told is Busy else 5) if told else None


@contextmanager
def refused() -> Iterator[None]:
    """Turn a failing database inside the block into its problem."""
    try:
        yield
    except Exception as error:
        if problem := refusal(error):
            raise problem from error
        raise
