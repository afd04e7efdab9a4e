"""The gate before BEGIN: writers enter in the order they came, within a process and between
processes.

SQLite's own busy handler sleeps and tries again, and starves some writers for seconds. A queue
in the process and `flock` on a file beside the database keep the order (reliability.md §0.4).
"""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path
from threading import Event, Lock, Thread

try:
    import fcntl
except (
    ImportError
):  # no flock on this system: SQLite's own locks still keep other processes out
    fcntl = None  # type: ignore[assignment]


class FairLock:
    """A lock handed on in the order of asking; whoever holds it, any thread may release it."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._held = False
        self._waiting: deque[Lock] = deque()

    def acquire(self, timeout: float) -> bool:
        """Take the lock within `timeout` seconds, or say False."""
        with self._mutex:
            if not self._held:
                self._held = True
                return True
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        return turn.acquire(timeout=max(timeout, 0)) or self._handed_over(turn)

    def release(self) -> None:
        """Hand the lock to the one who waits longest."""
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False

    def _handed_over(self, turn: Lock) -> bool:
        """After a timeout: leave the queue, unless the lock came in that very moment."""
        with self._mutex:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
            return True


class FileLock:
    """`flock` on one file, with a timeout. Used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._mutex = Lock()
        self._asking = False
        self._wanted = False
        self._granted = Event()

    def acquire(self, timeout: float) -> bool:
        """Take the lock within `timeout` seconds, or say False."""
        with self._mutex:
            if not self._asking and self._free():
                return True
            self._wanted = True
            self._ask()
        self._granted.wait(max(timeout, 0))
        with self._mutex:
            self._wanted = False
            taken = self._granted.is_set()
            self._granted.clear()
            return taken

    def release(self) -> None:
        fcntl.flock(self._handle(), fcntl.LOCK_UN)

    def _free(self) -> bool:
        try:
            fcntl.flock(self._handle(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _ask(self) -> None:
        """flock knows no timeout: a thread of its own asks, and the kernel keeps the order."""
        if not self._asking:
            self._asking = True
            Thread(target=self._wait, name="sqlite-gate", daemon=True).start()

    def _wait(self) -> None:
        fcntl.flock(self._handle(), fcntl.LOCK_EX)
        with self._mutex:
            self._asking = False
            if self._wanted:
                self._granted.set()
            else:
                self.release()  # whoever asked has given up

    def _handle(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file


class Gate:
    """What a writer passes before BEGIN and gives back after COMMIT, ROLLBACK or close."""

    def __init__(self, path: Path | None) -> None:
        """`path` is the lock file between processes; None for a database in memory."""
        self._threads = FairLock()
        self._processes = FileLock(path) if path is not None and fcntl is not None else None

    def enter(self, timeout: float) -> bool:
        """Wait for one's turn, `timeout` seconds at most."""
        until = time.monotonic() + timeout
        if not self._threads.acquire(timeout):
            return False
        if self._processes is None or self._processes.acquire(until - time.monotonic()):
            return True
        self._threads.release()
        return False

    def leave(self) -> None:
        """Let the next one in."""
        if self._processes is not None:
            self._processes.release()
        self._threads.release()


_gates: dict[str, Gate] = {}
_making = Lock()


def gate_of(database: str, *, in_memory: bool) -> Gate:
    """The one gate of a database in this process, by whatever path it is named."""
    if known := _gates.get(database):
        return known
    name = database if in_memory else os.path.realpath(database)
    with _making:
        gate = _gates.get(name) or Gate(None if in_memory else Path(f"{name}.lock"))
        _gates[name] = _gates[database] = gate
        return gate


def _forget() -> None:
    """A forked child shares the parent's open lock file, and would pass its gate: it opens its
    own.
    """
    global _making
    _making = Lock()
    _gates.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
