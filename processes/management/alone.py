"""One at a time: first starts on one data folder or one database wait for each other."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

# Any number will do, as long as it is ours alone in this database.
LOCK = 0x64616C6863


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the system gives it back however this process ends."""
    handle = os.open(folder / "prepare.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with _alone_at_database():
            yield
    finally:
        os.close(handle)


@contextmanager
def _alone_at_database() -> Iterator[None]:
    """On PostgreSQL hosts wait for each other too, and a migration may take its time."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        cursor.execute("RESET lock_timeout")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
            cursor.execute("RESET statement_timeout")
