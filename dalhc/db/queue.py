"""The writer's thread and the bounded queue before it."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from threading import Lock, Thread
from typing import Any

from django.db import connection

from dalhc.db.batch import Job, Told, fulfil, write_together
from dalhc.db.refusals import Busy

BATCH = 128
QUEUE = 2_000
LAST_WORDS = 10.0
TRIAL = 2.0
# BEGIN and COMMIT cost more than a closure: while several write at once, a moment's patience
# fills the batch. Whoever writes alone never waits.
PATIENCE = 0.0015

log = logging.getLogger("dalhc.writer")


class WriterThread:
    """One daemon thread with its own connection. Whoever is in the queue is always told."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        # The nap is locked but for the moment of waking: whoever clears `_asleep` releases it.
        # A Condition does the same with three locks.
        self._mutex, self._nap = Lock(), Lock()
        self._asleep = False
        self._open = True
        self._taken = 0  # by the last batch
        self._failure: Exception | None = None
        self._nap.acquire()
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def put(self, work: Callable[[], Any]) -> Future[Any]:
        """Queue a closure. Raises `Busy` when the queue is full or the writer has ended."""
        future: Future[Any] = Future()
        self.send(work, partial(fulfil, future))
        return future

    def wait_for(self, work: Callable[[], Any]) -> Any:
        """As `put`, and wait for what comes of it: by one lock, for a Future has several."""
        came: list[tuple[Any, BaseException | None]] = []
        done = Lock()
        done.acquire()

        def tell(result: Any, error: BaseException | None) -> None:
            came.append((result, error))
            done.release()

        self.send(work, tell)
        done.acquire()
        result, error = came.pop()
        if error is not None:
            raise error
        return result

    def send(self, work: Callable[[], Any], told: Told) -> None:
        """As `put`, and `told` is called in the writer's thread after the COMMIT. A coroutine
        needs no Future: its locks cost as much as a statement.
        """
        job = Job(work, told)
        with self._mutex:
            if not self._open or len(self._jobs) >= QUEUE:
                raise Busy(retry_after=1)
            self._jobs.append(job)
            self._wake()

    def stop(self) -> None:
        """Take no more, write what has queued, end."""
        with self._mutex:
            self._open = False
            self._wake()
        self._thread.join(LAST_WORDS)

    def trouble(self) -> str:
        """What is wrong, in words; empty when nothing is.

        After a failure it writes once more to see whether that is over: who is not ready is
        sent no other write.
        """
        if not self._thread.is_alive():
            return "The writer has ended."
        failure = self._failure
        if failure is None or self._writes_again():
            return ""
        return f"The last write was not kept: {failure}"

    def _writes_again(self) -> bool:
        try:
            self.put(_touch).result(TRIAL)
        except Exception:
            return False
        return True

    def _run(self) -> None:
        try:
            while self._wait():
                if self._taken > 1:
                    time.sleep(PATIENCE)
                self._taken = 0
                self._failure = write_together(self._queued())
        except BaseException:
            log.critical("The writer has ended; nothing more can be written.", exc_info=True)
        finally:
            self._tell_the_rest()
            connection.close()

    def _wake(self) -> None:
        """With the mutex held."""
        if self._asleep:
            self._asleep = False
            self._nap.release()

    def _wait(self) -> bool:
        """Sleep until there is a job; False when there is none and will be none."""
        with self._mutex:
            if self._jobs or not self._open:
                return bool(self._jobs)
            self._asleep = True
        self._nap.acquire()
        return bool(self._jobs)

    def _queued(self) -> Iterator[Job]:
        """What has queued by now, and what comes in while it is being run, up to the bound of a
        batch.
        """
        for _ in range(BATCH):
            try:
                job = self._jobs.popleft()
            except IndexError:
                return
            self._taken += 1
            yield job

    def _tell_the_rest(self) -> None:
        with self._mutex:
            self._open = False
            rest, self._jobs = list(self._jobs), deque()
        for job in rest:
            job.reject(Busy("The server is ending.", retry_after=1))


def _touch() -> None:
    """A write that changes nothing and goes to the disk all the same."""
    with connection.cursor() as cursor:
        version = cursor.execute("PRAGMA user_version").fetchone()[0]
        cursor.execute(f"PRAGMA user_version = {version}")
