"""So many requests a second per key: a bucket each, in this server's memory."""

from __future__ import annotations

import math
import time

from dalhc.http.problems import RateLimited

BURST = 2  # seconds' worth
MOST = 10_000  # keys remembered


class Rates:
    """`take` once per request. A key is known by a hash of it, so that nobody without it can
    use up its bucket.
    """

    def __init__(self, per_second: float) -> None:
        """0 sets no limit."""
        self._rate = per_second
        self._full = max(1.0, per_second * BURST)
        self._buckets: dict[int, tuple[float, float]] = {}

    def take(self, key: bytes | None) -> None:
        """Raises RateLimited, with the seconds until the next one fits."""
        if not self._rate:
            return
        name, now = hash(key), time.monotonic()
        left, at = self._buckets.get(name, (self._full, now))
        left = min(self._full, left + (now - at) * self._rate)
        if left < 1:
            raise RateLimited(retry_after=math.ceil((1 - left) / self._rate))
        if name not in self._buckets and len(self._buckets) >= MOST:
            self._forget(now)
        self._buckets[name] = (left - 1, now)

    def _forget(self, now: float) -> None:
        """The fuller half goes: a bucket that is full is as good as a new one, and whoever was
        refused stays refused.
        """
        by_tokens = sorted(
            self._buckets.items(), key=lambda one: one[1][0] + (now - one[1][1]) * self._rate
        )
        self._buckets = dict(by_tokens[: MOST // 2])
