"""Up to which numbers every row is there that ever will be.

PostgreSQL numbers a row before the COMMIT that shows it, so a lower number may come after a
higher one. Whoever could still bring one holds the table's lock until then, and is waited for;
on SQLite one writes after another.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from dalhc.db import sql

PATIENCE, LOOK = 0.2, 0.004  # seconds in all, and between two looks


class Settled(NamedTuple):
    """The last event and the last step below which nothing new appears."""

    event: int
    step: int


NOTHING = Settled(0, 0)

_NEWEST = (
    "SELECT (SELECT coalesce(max(id), 0) FROM processes_event), "
    "(SELECT coalesce(max(id), 0) FROM processes_step)"
)
_WRITING = (
    "SELECT DISTINCT virtualtransaction FROM pg_locks "
    "WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND pid != pg_backend_pid() "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND relation IN ('processes_event'::regclass, 'processes_step'::regclass)"
)


def settled() -> Settled:
    """`NOTHING` when somebody keeps everybody waiting: it is asked again later."""
    newest = Settled(*(sql.one(_NEWEST, ()) or NOTHING))
    if not sql.is_postgresql():
        return newest
    writing, deadline = _writing(), time.monotonic() + PATIENCE
    while writing:
        if time.monotonic() > deadline:
            return NOTHING
        time.sleep(LOOK)
        writing &= _writing()
    return newest


def _writing() -> set[str]:
    return {str(name) for (name,) in sql.rows(_WRITING, ())}
