"""One transaction for everything that has queued: one COMMIT for all, and a closure that fails
loses only itself.

A savepoint around each closure costs as much as its statements, and nearly every refusal comes
before the first of them. So the batch is first written without; only when a closure fails after
it has written is everything undone and written again, each closure in a savepoint.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections
from django.db.transaction import TransactionManagementError

from dalhc.db.refusals import Busy, refusal

if TYPE_CHECKING:
    from dalhc.db.sqlite.base import DatabaseWrapper as Database

Callback = Callable[[], object]
Told = Callable[[Any, BaseException | None], object]  # the result, or the error

log = logging.getLogger("dalhc.writer")


class Inside(threading.local):
    """The callbacks of the write that this thread is in, None outside a write; and in the
    writer's thread SQLite's own connection, for statements that need nothing of Django's.
    """

    callbacks: list[Callback] | None = None
    library: Any = None


inside = Inside()


class Job:
    """A closure, whom to tell what came of it, and what did."""

    __slots__ = ("callbacks", "error", "result", "told", "work")

    def __init__(self, work: Callable[[], Any], told: Told) -> None:
        self.work = work
        self.told = told
        self.result: Any = None
        self.error: BaseException | None = None
        self.callbacks: list[Callback] = []

    def begin_again(self) -> None:
        """Forget what came of it: it will be run once more."""
        self.result = self.error = None
        self.callbacks.clear()

    def settle(self) -> None:
        """Tell the caller, after the COMMIT; the callbacks run first, so that a caller finds
        them done.
        """
        run(self.callbacks)
        if self.error is not None:
            self.reject(refusal(self.error) or self.error)
        else:
            self.told(self.result, None)

    def reject(self, error: BaseException) -> None:
        self.told(None, error)


def fulfil(future: Future[Any], result: Any, error: BaseException | None) -> None:
    """Tell it to a Future, for a thread that waits."""
    if future.set_running_or_notify_cancel():
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)


class WroteAndFailed(Exception):
    """A closure failed after it had written, in a batch without savepoints."""


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
    # Once: the proxy costs, asked for every closure.
    database = cast("Database", connections[DEFAULT_DB_ALIAS])
    try:
        database.begin_batch()
        for job in jobs:
            taken.append(job)
            _run(job, database)
        database.commit_batch()
    except WroteAndFailed:
        _roll_back(database)
        return _write_apart([*taken, *jobs], database)
    except BaseException as error:
        _roll_back(database)
        return _reject(taken or list(jobs), error)
    _settle(taken)
    return None


def _write_apart(jobs: list[Job], database: Database) -> Exception | None:
    """The same batch once more, each job in a savepoint."""
    try:
        database.begin_batch()
        for job in jobs:
            job.begin_again()
            _run_apart(job, database)
        database.commit_batch()
    except BaseException as error:
        _roll_back(database)
        return _reject(jobs, error)
    _settle(jobs)
    return None


def _settle(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()


def _run(job: Job, database: Database) -> None:
    """Run one closure. One that fails before it has written leaves nothing to undo."""
    library = database.connection
    written = library.total_changes
    _work(job, database)
    if job.error is not None:
        _require_transaction(job, database)
        if library.total_changes != written or database.needs_rollback:
            raise WroteAndFailed


def _run_apart(job: Job, database: Database) -> None:
    """Run one closure in a savepoint, so that a failing one loses only itself."""
    # Straight to the library: Django's own savepoints cost more than the closure's statements.
    execute = database.connection.execute
    execute("SAVEPOINT job")
    _work(job, database)
    if job.error is not None:
        _require_transaction(job, database)
        execute("ROLLBACK TO job")
        database.needs_rollback = False
    execute("RELEASE job")


def _work(job: Job, database: Database) -> None:
    inside.callbacks = job.callbacks
    inside.library = None if database.force_debug_cursor else database.connection
    try:
        job.result = job.work()
        _refuse_if_broken(database)
    except BaseException as error:
        job.error = error
        job.callbacks.clear()
    else:
        job.callbacks += [hook[1] for hook in database.run_on_commit]
    finally:
        inside.callbacks = inside.library = None
        database.run_on_commit = []


def _require_transaction(job: Job, database: Database) -> None:
    if not database.connection.in_transaction:
        raise SqliteEndedTheTransaction from job.error


def _refuse_if_broken(database: Database) -> None:
    if database.needs_rollback:
        raise TransactionManagementError("A write went on after a statement of it had failed.")


def _roll_back(database: Database) -> None:
    database.in_atomic_block = False
    database.needs_rollback = False
    try:
        database.rollback()
        database.set_autocommit(True)
    except Exception:
        with suppress(Exception):
            database.close()
        # The next batch opens a new one, also when a closure closed this one under us.
        database.connection, database.closed_in_transaction = None, False


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
