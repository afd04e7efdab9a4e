"""The one place that reads time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_told: ContextVar[int | None] = ContextVar("told", default=None)


def now_ms() -> int:
    """Unix milliseconds, UTC. May go backwards when the machine's clock does; callers order by
    seq.
    """
    told = _told.get()
    return time.time_ns() // 1_000_000 if told is None else told


@contextmanager
def at(ms: int) -> Iterator[None]:
    """Inside the block, in this thread, it is `ms`: for the demo's history and for tests."""
    token = _told.set(ms)
    try:
        yield
    finally:
        _told.reset(token)
