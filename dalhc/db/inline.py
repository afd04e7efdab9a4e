"""A write in its caller's own connection and transaction: on PostgreSQL, in commands, in tests.

Two who write at once may refuse each other there: a row that both add, a deadlock. Whoever lost
runs again from the beginning and finds what the other has kept. Nothing runs again once COMMIT
has been sent and nobody said what became of it: that is told, for the caller to send again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from django.db import DEFAULT_DB_ALIAS, Error, connections, transaction

from dalhc.db.batch import Callback, inside
from dalhc.db.refusals import Again, is_lost, refused, sqlstate

TIMES = 4
SOON = 2.0  # seconds; what took longer to fail is not tried once more by us
UNIQUE = "23505"
# Serialization failure and deadlock end the whole transaction, also the one around a savepoint.
WHOLE = ("40001", "40P01")


def in_own_transaction[T](work: Callable[[], T]) -> tuple[T, list[Callback]]:
    """What `work` returns, and the callbacks for after its COMMIT."""
    begun = time.monotonic()
    with refused():
        for attempt in range(1, TIMES + 1):
            trial = _Trial()
            try:
                return trial.run(work)
            except (Error, Again) as error:
                again = attempt < TIMES and trial.may_run_again(error)
                again = again and time.monotonic() - begun < SOON
                trial.let_go(error)
                if not again:
                    raise
            time.sleep(random.uniform(0, 0.01 * attempt))
    raise AssertionError("the last attempt returns or raises")


class _Trial:
    """One attempt; it knows how far it came."""

    def __init__(self) -> None:
        self._connection = connections[DEFAULT_DB_ALIAS]
        self._is_inner = self._connection.in_atomic_block
        self._did_all = False

    def run[T](self, work: Callable[[], T]) -> tuple[T, list[Callback]]:
        callbacks: list[Callback] = []
        inside.callbacks = callbacks
        try:
            with transaction.atomic():
                result = work()
                self._did_all = True
            return result, callbacks
        finally:
            inside.callbacks = None

    def may_run_again(self, error: Error | Again) -> bool:
        """Whether nothing was kept for sure, and the next attempt may go otherwise."""
        if isinstance(error, Again):
            return not self._is_inner
        if is_lost(error):
            return not (self._is_inner or self._did_all)
        state = sqlstate(error)
        return state == UNIQUE or (state in WHOLE and not self._is_inner)

    def let_go(self, error: Error | Again) -> None:
        """A connection that broke is not used again by this thread."""
        if is_lost(error) and not self._is_inner:
            self._connection.close()
