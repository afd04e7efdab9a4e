"""The fixed threads in which Django runs, and the bounded queue before them."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from django.db import connections

from dalhc.db.refusals import Busy
from dalhc.db.threads import in_time
from dalhc.front.bounds import QUEUED
from dalhc.post import Post, post_of

T = TypeVar("T")

log = logging.getLogger("dalhc.front")


class Task(NamedTuple):
    """Work for a thread, and the coroutine that waits for it."""

    work: Callable[[], Any]
    post: Post
    future: asyncio.Future[Any]
    queued: float


class Pool:
    """A few daemon threads; each keeps its database connection from request to request."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[Task | None] = SimpleQueue()
        self._threads = [
            Thread(target=self._work, name=f"web-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Callable[[], T], *, begun: bool = False) -> T:
        """Run `work` in a thread and await its result. Raises `Busy` when too much has queued.

        `begun` work goes on with something already answered in part, so it is never turned
        away.
        """
        if not begun and self._queue.qsize() >= QUEUED:
            raise Busy(retry_after=1)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        queued = math.inf if begun else time.monotonic()
        self._queue.put(Task(work, post_of(loop), future, queued))
        return await future

    def stop(self, timeout: float = 5.0) -> None:
        """Finish what has queued, then end the threads."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout)

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            _run(task)
        connections.close_all()


def _run(task: Task) -> None:
    if task.future.cancelled():
        return
    try:
        result = in_time(min(task.queued, time.monotonic()), task.work)
    except Exception as error:
        _tell(task, _fail, error)
    except (
        BaseException
    ) as error:  # SystemExit would end the thread and leave the client waiting
        log.exception("A request tried to end its thread.")
        _tell(task, _fail, RuntimeError(repr(error)))
    else:
        _tell(task, _succeed, result)


def _tell(task: Task, settle: Callable[[asyncio.Future[Any], Any], None], outcome: Any) -> None:
    task.post.send(settle, task.future, outcome)


def _succeed(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
