"""The one place that reads time."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Unix milliseconds, UTC. May go backwards when the machine's clock does; callers order by seq."""
    return time.time_ns() // 1_000_000
