"""A connection to PostgreSQL whose answers are waited for with patience, and that is given up
after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg._preparing import PrepareManager
from psycopg.abc import RV, PQGen
from psycopg.pq.abc import PGconn
from psycopg_pool import ConnectionPool

from dalhc.db import patience

LOOKING = 2.0  # seconds to see whether one that was kept still answers


class Kept(PrepareManager):
    """PostgreSQL keeps what was prepared through a ROLLBACK; psycopg would forget it, and have
    it planned anew after every refusal.
    """

    def clear(self) -> bool:
        return False


class Wire(psycopg.Connection[Any]):
    """`patience.left()` is asked at each wait; a wait with a time of its own keeps that."""

    def __init__(self, pgconn: PGconn) -> None:
        super().__init__(pgconn)
        self._prepared = Kept()

    def execute_prepared(self, statement: str, params: Sequence[Any]) -> int:
        """How many rows it changed; planned once for this line. Nothing else is remembered of
        what it is asked.
        """
        before, self.prepare_threshold = self.prepare_threshold, 0
        try:
            done = psycopg.Cursor(self).execute(statement.encode(), params, prepare=True)
        finally:
            self.prepare_threshold = before
        return done.rowcount

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
