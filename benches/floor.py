"""The floor: raw SQLite, the same library, pragmas and three statements, with nothing of ours
around them.

`group_commit(clients)` is what other figures divide by, in the same run. Run alone it prints
the floor.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from benches.common import Sample, bench, closed_loop
from dalhc.db.sqlite import BUSY_SECONDS, PRAGMAS
from dalhc.db.sqlite.library import sqlite

SECONDS = 2.0
PROCESSES = 64
BATCH = 128

Job = tuple[int, threading.Lock]  # which process, and whom to tell

SCHEMA = """
CREATE TABLE process (id INTEGER PRIMARY KEY, state TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE step (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, seq INTEGER NOT NULL,
  key TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (process_id, seq));
CREATE UNIQUE INDEX step_key ON step (process_id, key);
CREATE TABLE event (id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL, seq INTEGER NOT NULL,
  body TEXT NOT NULL, UNIQUE (process_id, seq));
"""

MOVE = """
UPDATE process SET revision = revision + 1 WHERE id = ? AND state = 'running' RETURNING revision
"""


def connect(path: Path) -> Any:
    """A connection as the product opens one, without Django."""
    connection = sqlite.connect(
        str(path), timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    for name, value in PRAGMAS.items():
        connection.execute(f"PRAGMA {name}={value}").fetchall()
    return connection


def append(execute: Callable[..., Any], process: int) -> int:
    """The three statements of an append: move the head, add the step, add the event."""
    seq: int = execute(MOVE, (process,)).fetchall()[0][0]
    step = (process, seq, f"{seq:064x}", "s" * 300)
    execute("INSERT INTO step (process_id, seq, key, body) VALUES (?, ?, ?, ?)", step)
    execute(
        "INSERT INTO event (process_id, seq, body) VALUES (?, ?, ?)", (process, seq, "e" * 250)
    )
    return seq


@contextmanager
def database() -> Iterator[Any]:
    with tempfile.TemporaryDirectory(dir=".", prefix=".floor-") as folder:
        connection = connect(Path(folder) / "floor.sqlite3")
        connection.executescript(SCHEMA)
        rows = [(number,) for number in range(PROCESSES)]
        connection.executemany("INSERT INTO process VALUES (?, 'running', 0)", rows)
        try:
            yield connection
        finally:
            connection.close()


def one_commit_each(clients: int, seconds: float = SECONDS) -> Sample:
    """A lock around BEGIN, three statements, COMMIT."""
    lock = threading.Lock()
    with database() as connection:

        def call(number: int) -> None:
            with lock:
                connection.execute("BEGIN IMMEDIATE")
                append(connection.execute, number % PROCESSES)
                connection.execute("COMMIT")

        return closed_loop(clients, seconds, call)


def group_commit_sample(clients: int, seconds: float = SECONDS) -> Sample:
    """One thread writes for everyone and commits once for what has queued."""
    queue: SimpleQueue[Job | None] = SimpleQueue()

    def call(number: int) -> None:
        told = threading.Lock()
        told.acquire()
        queue.put((number % PROCESSES, told))
        if not told.acquire(timeout=30):
            raise RuntimeError("the writer of the floor has ended")

    with database() as connection:
        writer = threading.Thread(target=_write, args=(connection, queue))
        writer.start()
        try:
            return closed_loop(clients, seconds, call)
        finally:
            queue.put(None)
            writer.join()


def group_commit(clients: int, seconds: float = SECONDS) -> float:
    """Appends per second of the raw group commit: what other figures are divided by."""
    return group_commit_sample(clients, seconds).per_second


def _write(connection: Any, queue: SimpleQueue[Job | None]) -> None:
    while (first := queue.get()) is not None:
        connection.execute("BEGIN IMMEDIATE")
        told = []
        job: Job | None = first
        while job is not None:
            append(connection.execute, job[0])
            told.append(job[1])
            job = _next(queue) if len(told) < BATCH else None
        connection.execute("COMMIT")
        for lock in told:
            lock.release()


def _next(queue: SimpleQueue[Job | None]) -> Job | None:
    try:
        job = queue.get_nowait()
    except Empty:
        return None
    if job is None:
        queue.put(None)  # the end: for the outer loop, after this batch
    return job


def main() -> int:
    cases = {}
    for clients in (1, 8, 32):
        cases[f"a commit each, {clients}"] = lambda clients=clients: one_commit_each(clients)
        cases[f"group commit, {clients}"] = lambda clients=clients: group_commit_sample(clients)
    return bench("floor", cases)


if __name__ == "__main__":
    sys.exit(main())
