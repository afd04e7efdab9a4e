"""The write-ahead log kept short: a reader that stays lets it grow, and once it has left,
nothing shortens it while nobody writes.
"""

from __future__ import annotations

import logging
import os
from typing import cast

from django.db import connection

from dalhc.clock import now_ms
from dalhc.db.sqlite import PRAGMAS
from dalhc.db.sqlite.base import DatabaseWrapper

TOPIC = "checkpoint"
LIMIT = int(PRAGMAS["journal_size_limit"])
EVERY_MS = 10_000

log = logging.getLogger("dalhc.storage")
_is_told = False  # of a reader that is still there


def sweep() -> int | None:
    """Shorten it when it has more than 64 MiB; returns when to look again, Unix milliseconds.

    Never waits for a reader: a checkpoint that does holds every writer up meanwhile.
    """
    if connection.vendor != "sqlite":
        return None
    if (before := size()) > LIMIT:
        _shorten(cast(DatabaseWrapper, connection))
        _tell(before, size())
    return now_ms() + EVERY_MS


def _tell(before: int, after: int) -> None:
    """Once while a reader stays, however often it is looked."""
    global _is_told
    if after <= LIMIT:
        log.info("The write-ahead log had %d MiB and is short again.", before >> 20)
    elif not _is_told:
        log.warning(
            "The write-ahead log has %d MiB: somebody has been reading for a long time.",
            after >> 20,
        )
    _is_told = after > LIMIT


def size() -> int:
    """Of the write-ahead log, in bytes."""
    try:
        return os.stat(f"{connection.settings_dict['NAME']}-wal").st_size
    except FileNotFoundError:
        return 0


def _shorten(database: DatabaseWrapper) -> None:
    with database.cursor() as cursor, database.gated():  # no writer is met, and none waits
        waiting = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute("PRAGMA busy_timeout = 0")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {waiting}")
