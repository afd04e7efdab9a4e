"""One transaction for everything that has queued: each closure in its savepoint, one COMMIT for
all.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, connection
from django.db.transaction import TransactionManagementError

from dalhc.db.refusals import Busy, refusal

Callback = Callable[[], object]

log = logging.getLogger("dalhc.writer")


class Inside(threading.local):
    """The callbacks of the write that this thread is in, None outside a write; and in the
    writer's thread SQLite's own connection, for statements that need nothing of Django's.
    """

    callbacks: list[Callback] | None = None
    library: Any = None


inside = Inside()


class Job:
    """A closure, who waits for it, and what came of it."""

    __slots__ = ("callbacks", "error", "future", "result", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.future: Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None
        self.callbacks: list[Callback] = []

    def settle(self) -> None:
        """Tell the caller, after the COMMIT; the callbacks run first, so that a caller finds
        them done.
        """
        run(self.callbacks)
        if self.error is not None:
            self.reject(refusal(self.error) or self.error)
        elif self.future.set_running_or_notify_cancel():
            self.future.set_result(self.result)

    def reject(self, error: BaseException) -> None:
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class SqliteEndedTheTransaction(Exception):
    """SQLite rolled everything back by itself, as it does when the disk is full."""


def run(callbacks: list[Callback]) -> None:
    """Run callbacks after a COMMIT; one that fails is logged, for the write itself is done."""
    for callback in callbacks:
        try:
            callback()
        except BaseException:
            log.exception("A callback failed after its commit.")


def write_together(jobs: Iterator[Job]) -> Exception | None:
    """Run the jobs in one transaction and settle each. Returns what made the whole batch fail,
    if it did.

    A job is told nothing before the COMMIT, a refusal neither: it may rest on a neighbour's
    row.
    """
    taken: list[Job] = []
    try:
        _begin()
        for job in jobs:
            taken.append(job)
            _run(job)
        _commit()
    except BaseException as error:
        _roll_back()
        return _reject(taken or list(jobs), error)
    for job in taken:
        job.settle()
    return None


def _begin() -> None:
    connection.needs_rollback = False
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    # From here on `atomic()` in a closure makes a savepoint, as inside any other transaction.
    connection.in_atomic_block = True


def _run(job: Job) -> None:
    """Run one closure in a savepoint, so that a failing one loses only itself."""
    # Straight to the library: Django's own savepoints cost more than the closure's statements.
    execute = connection.connection.execute
    execute("SAVEPOINT job")
    inside.callbacks = job.callbacks
    inside.library = None if connection.force_debug_cursor else connection.connection
    try:
        job.result = job.work()
        _refuse_if_broken()
    except BaseException as error:
        job.error = error
        _undo(job)
    else:
        execute("RELEASE job")
        job.callbacks += [hook[1] for hook in connection.run_on_commit]
    finally:
        inside.callbacks = inside.library = None
        connection.run_on_commit = []


def _refuse_if_broken() -> None:
    if connection.needs_rollback:
        raise TransactionManagementError("A write went on after a statement of it had failed.")


def _undo(job: Job) -> None:
    if not connection.connection.in_transaction:
        raise SqliteEndedTheTransaction from job.error
    connection.connection.execute("ROLLBACK TO job")
    connection.connection.execute("RELEASE job")
    connection.needs_rollback = False
    job.callbacks.clear()


def _commit() -> None:
    connection.in_atomic_block = False
    connection.commit()
    connection.set_autocommit(True)


def _roll_back() -> None:
    connection.in_atomic_block = False
    connection.needs_rollback = False
    try:
        connection.rollback()
        connection.set_autocommit(True)
    except Exception:
        with suppress(Exception):
            connection.close()  # the next batch opens a new one


def _reject(jobs: list[Job], error: BaseException) -> Exception:
    """The whole batch failed: each waiter is told so, and that the same request may be sent
    again.
    """
    cause = error.__cause__ if isinstance(error, SqliteEndedTheTransaction) else error
    log.error("A batch of %d writes was not kept: %s", len(jobs), cause)
    for job in jobs:
        job.reject(_told(cause or error, alone=len(jobs) == 1))
    return cause if isinstance(cause, Exception) else RuntimeError(str(cause))


def _told(error: BaseException, *, alone: bool) -> BaseException:
    if isinstance(error, IntegrityError) and not alone:
        # A deferred constraint of one job fails the COMMIT of all: sent again, each runs by
        # itself.
        return Busy("Another write in the same batch was refused.", retry_after=1)
    return refusal(error) or error
