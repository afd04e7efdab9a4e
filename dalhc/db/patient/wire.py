"""A connection to PostgreSQL whose answers are waited for with patience, and that is given up
after it.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg_pool import ConnectionPool

from dalhc.db import patience

LOOKING = 2.0  # seconds to see whether one that was kept still answers


class Wire(psycopg.Connection[Any]):
    """`patience.left()` is asked at each wait; a wait with a time of its own keeps that."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        if timeout is not None or (most := patience.left()) is None:
            return super().wait(gen, interval, timeout)
        try:
            with patience.spent():
                return super().wait(gen, interval, most)
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()  # what it still may say is no answer to what comes next
            raise psycopg.OperationalError("the database did not answer in time") from None


def check(wire: Wire) -> None:
    """For the pool, before it hands one on: another may answer where this one is silent."""
    with patience.within(LOOKING):
        ConnectionPool.check_connection(wire)
