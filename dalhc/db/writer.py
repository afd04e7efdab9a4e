"""The one way to write: hand over a closure, get its result back once it is committed.

On a server with SQLite one thread writes for everyone: it takes whatever has queued, runs each
closure in a savepoint and commits once (group commit). Elsewhere, on PostgreSQL, in commands
and in most tests, the closure runs in the caller's own transaction, if it is not one statement
there (`short`). The closures are the same (architecture.md §3.12).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any

from django.db import connection, transaction

from dalhc.db import sql
from dalhc.db.batch import Callback, Told, inside, run
from dalhc.db.inline import in_own_transaction
from dalhc.db.queue import WriterThread
from dalhc.db.refusals import Busy, StorageFull
from dalhc.db.short import Plan, Short, shortly
from dalhc.db.threads import Threads

__all__ = [
    "Busy",
    "Plan",
    "Short",
    "StorageFull",
    "after_commit",
    "is_writing",
    "send",
    "start",
    "stop",
    "submit",
    "trouble",
    "write",
]

_thread: WriterThread | None = None
_pool: Threads | None = None
_starting = Lock()


def write[T](work: Callable[[], T]) -> T:
    """Run `work` in a transaction and return its result once that is committed.

    Inside another write, or inside `atomic()`, it joins in a savepoint of its own. Raises what
    `work` raises (nothing of it is then kept), `Busy` or `StorageFull`.
    """
    if inside.callbacks is not None:
        return _join(work, inside.callbacks)
    if _thread is None:
        return _inline(work)
    if connection.in_atomic_block:
        return _within(work)
    result: T = _thread.wait_for(work)
    return result


def submit[T](work: Callable[[], T]) -> Future[T]:
    """Like `write`, without waiting: the Future has its result after the COMMIT. For
    coroutines.
    """
    if _thread is not None and inside.callbacks is None:
        return _thread.put(work)
    if _pool is not None:
        return _pool.submit(lambda: write(work))
    return _done(work)


def send(work: Callable[[], Any], told: Told) -> None:
    """Like `submit`, without a Future: `told` is called with the result or the error, from
    whichever thread has it. Raises `Busy`.
    """
    if _thread is not None and inside.callbacks is None:
        _thread.send(work, told)
    else:
        submit(work).add_done_callback(functools.partial(_tell, told))


def is_writing() -> bool:
    """Inside a write, which may be run twice: what cannot be undone waits until after it."""
    return inside.callbacks is not None


def after_commit(callback: Callback) -> None:
    """Run `callback` after the COMMIT of the write we are in; never, if that write fails."""
    if inside.callbacks is None:
        raise RuntimeError("after_commit() outside a write")
    inside.callbacks.append(callback)


def start() -> None:
    """Begin to write for everyone: a writer thread on SQLite, a few threads for `submit`
    elsewhere.
    """
    global _thread, _pool
    with _starting:
        if _thread is None and _pool is None:
            if connection.vendor == "sqlite":
                _thread = WriterThread()
            else:
                _pool = Threads(4, "writer")


def stop() -> None:
    """Write what has queued, then end; later writes run in their caller's transaction."""
    global _thread, _pool
    with _starting:
        if _thread is not None:
            _thread.stop()
        if _pool is not None:
            _pool.stop()
        _thread = _pool = None


def trouble() -> str:
    """Why the last batch was not kept, or that the writer has ended; empty when all is well
    (`/readyz`).
    """
    return _thread.trouble() if _thread is not None else ""


def _join[T](work: Callable[[], T], callbacks: list[Callback]) -> T:
    kept = len(callbacks)
    try:
        with transaction.atomic():
            return work()
    except BaseException:
        del callbacks[kept:]
        raise


def _inline[T](work: Callable[[], T]) -> T:
    if isinstance(work, Short) and sql.is_postgresql():
        result: T = shortly(work, _with_locks)
        return result
    return _with_locks(work)


def _with_locks[T](work: Callable[[], T]) -> T:
    result, callbacks = in_own_transaction(work)
    run(callbacks)
    return result


def _within[T](work: Callable[[], T]) -> T:
    """Inside the caller's `atomic()`: the writer thread would wait for its gate, and it for the
    writer.
    """
    result, callbacks = in_own_transaction(work)
    transaction.on_commit(functools.partial(run, callbacks))
    return result


def _done[T](work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()
    try:
        future.set_result(write(work))
    except Exception as error:
        future.set_exception(error)
    return future


def _tell(told: Told, done: Future[Any]) -> None:
    error = done.exception()
    told(None if error else done.result(), error)
