"""How long a request waits for PostgreSQL, whatever it asks and however often.

A server behind a dead link says nothing, and a proxy on the way may acknowledge every byte: no
limit of the session, and none of TCP, ends such a wait. Ours does, for a server's own threads;
commands wait for as long as they need.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 8.0  # of a request: in queues, and for every answer it waits for
CONNECTING = 4.0  # for a connection; who has less left is told at once

_limit: float | None = None


class _Mine(threading.local):
    """What is left to the request of this thread; None outside one."""

    left: float | None = None


_mine = _Mine()


def limit(seconds: float | None) -> None:
    """For this process: `SECONDS` on a server, None in commands and on SQLite."""
    global _limit
    _limit = seconds


def since(queued: float) -> float | None:
    """What is left to a request that queued at `queued` on the monotonic clock; None for no
    limit. Less than `CONNECTING` is not worth a beginning.
    """
    return None if _limit is None else _limit - (time.monotonic() - queued)


def left() -> float | None:
    """How long the next answer may take."""
    return _limit if _mine.left is None else max(0.0, _mine.left)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """All that this thread waits for inside takes at most so long together."""
    before, _mine.left = _mine.left, seconds
    try:
        yield
    finally:
        _mine.left = before


@contextmanager
def spent() -> Iterator[None]:
    """The time inside was waited, whatever was waited for within it."""
    before, begun = _mine.left, time.monotonic()
    try:
        yield
    finally:
        if before is not None:
            _mine.left = before - (time.monotonic() - begun)
