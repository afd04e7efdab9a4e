"""A few threads that each keep a database connection, and the bounded queue before them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from django.db import connections

from dalhc.db import patience
from dalhc.db.refusals import Busy, Unreachable, is_lost

QUEUE = 2_000
LAST_WORDS = 10.0
SOON = 2.0  # seconds; a read that took longer to fail is not tried again

type Task = tuple[float, Callable[[], Any], Future[Any]]


class Threads:
    """Work for coroutines, which must not wait for a database themselves."""

    def __init__(self, count: int, name: str) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._open, self._lock = True, Lock()
        self._threads = [
            Thread(target=self._work, name=f"{name}-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit[T](self, work: Callable[[], T], since: float | None = None) -> Future[T]:
        """Raises `Busy` when too much has queued, or the server is ending. The request began
        `since`, on the monotonic clock, if not now.
        """
        future: Future[T] = Future()
        with self._lock:
            if not self._open or self._tasks.qsize() >= QUEUE:
                raise Busy(retry_after=1)
            begun = time.monotonic() if since is None else since
            self._tasks.put((begun, work, future))
        return future

    def stop(self) -> None:
        """Finish what has queued, and give every connection back."""
        with self._lock:
            self._open = False
            for _ in self._threads:
                self._tasks.put(None)
        for thread in self._threads:
            thread.join(LAST_WORDS)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            _run(*task)
        connections.close_all()


def _run[T](queued: float, work: Callable[[], T], future: Future[T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = in_time(queued, work)
    except BaseException as error:  # a thread that ended would leave its callers waiting
        # No request ends here, so a broken connection is let go of here.
        if isinstance(error, Unreachable) or is_lost(error):
            connections.close_all()
        future.set_exception(error)
    else:
        future.set_result(result)


def in_time[T](queued: float, work: Callable[[], T]) -> T:
    """Run `work` with what patience is left since it queued. Raises `Busy` when that is too
    little to begin with: the database keeps everybody waiting.
    """
    left = patience.since(queued)
    if left is None:
        return work()
    if left < patience.CONNECTING:
        raise Busy(retry_after=1)
    with patience.within(left):
        return work()


def read_again[T](work: Callable[[], T]) -> T:
    """Run a read, and once more when the connection that this thread kept has gone."""
    begun = time.monotonic()
    try:
        return work()
    except Exception as error:
        if not is_lost(error) or time.monotonic() - begun > SOON:
            raise
        connections.close_all()
        return work()
