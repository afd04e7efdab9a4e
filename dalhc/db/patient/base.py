"""The backend: a connection from the pool is waited for out of the same patience."""

from __future__ import annotations

import atexit
from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError

from dalhc.db import patience


class DatabaseWrapper(base.DatabaseWrapper):
    """What is left of a request's patience after its connection is for what it asks."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        # Django wants one also to end a transaction whose connection was given up.
        if patience.left() == 0:
            raise OperationalError("nothing is left to wait for a connection")
        with patience.spent():
            return super().get_new_connection(conn_params)


@atexit.register
def close_pools() -> None:
    """While their threads can still be told. Left to the interpreter's own end, every command
    would wait 20 seconds for threads that no longer run.
    """
    for pool in base.DatabaseWrapper._connection_pools.values():  # type: ignore[attr-defined]
        pool.close()
