"""What a failing database says to whoever waits: busy, or out of storage."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from dalhc.db.sqlite.library import sqlite
from dalhc.problems import Problem

_BUSY = ("locked", "busy")
_FAILING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
_STORAGE = ("disk i/o", "full", "unable to open", "readonly", "malformed", "not a database")


class Busy(Problem):
    """The database is busy; send the same request again in a moment."""


class StorageFull(Problem):
    """The storage is full or failing; whether this was kept is unknown, and the same request
    may be sent again.
    """


def refusal(error: BaseException) -> Problem | None:
    """The problem to answer with, or None when the error is not the storage's fault."""
    if isinstance(error, OSError) and error.errno in _FAILING:
        return StorageFull(retry_after=5)
    if not isinstance(error, DatabaseError | sqlite.DatabaseError):
        return None
    said = str(error).lower()
    if any(word in said for word in _BUSY):
        return Busy(retry_after=1)
    if any(word in said for word in _STORAGE):
        return StorageFull(retry_after=5)
    return None


@contextmanager
def refused() -> Iterator[None]:
    """Turn a failing database inside the block into its problem."""
    try:
        yield
    except Exception as error:
        if problem := refusal(error):
            raise problem from error
        raise
