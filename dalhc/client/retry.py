"""Trying again: jittered pauses, bounded by a deadline, where a second try does no harm."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx2

from dalhc.client.errors import Unreachable

AGAIN = frozenset({408, 429, 502, 503, 504})
LOST = (
    httpx2.TimeoutException,
    httpx2.NetworkError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
)


@dataclass(frozen=True, slots=True)
class Retry:
    """How long to go on trying. All values are seconds.

    `patience` is the time from the first try within which another may begin; 0 tries once.
    """

    patience: float = 60.0
    first_pause: float = 0.1
    longest_pause: float = 5.0

    def send(self, attempt: Callable[[], httpx2.Response]) -> httpx2.Response:
        """The first reply that settles the matter, or the last one when time is up.

        Every request of this client may be sent twice: steps carry their key, other writes an
        Idempotency-Key. Raises Unreachable when the last try got no reply at all.
        """
        deadline = time.monotonic() + self.patience
        tries = 0
        while True:
            reply, lost = _tried(attempt)
            if reply is not None and not worth_another_try(reply):
                return reply
            pause = self._pause(tries, reply)
            tries += 1
            if time.monotonic() + pause < deadline:
                time.sleep(pause)
            elif reply is not None:
                return reply
            else:
                raise Unreachable("unreachable", detail=_in_words(lost)) from lost

    def _pause(self, tries: int, reply: httpx2.Response | None) -> float:
        """Half to all of a doubling pause, so that runtimes do not come back together."""
        longest = min(self.longest_pause, self.first_pause * float(2 ** min(tries, 16)))
        asked = _retry_after(reply) if reply is not None else 0.0
        return asked + longest * random.uniform(0.5, 1.0)


def worth_another_try(reply: httpx2.Response) -> bool:
    """Busy, slow or half-started servers; never one that says it keeps nothing."""
    return reply.status_code in AGAIN and b"persistence_disabled" not in reply.content


def _tried(
    attempt: Callable[[], httpx2.Response],
) -> tuple[httpx2.Response | None, httpx2.TransportError | None]:
    try:
        return attempt(), None
    except LOST as lost:
        return None, lost


def _retry_after(reply: httpx2.Response) -> float:
    """Seconds; the header holds a number or a date. 0 when absent or unreadable."""
    value = reply.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0


def _in_words(lost: httpx2.TransportError | None) -> str:
    """One sentence; never the request, whose headers hold the key."""
    return f"The server gave no reply: {type(lost).__name__}: {lost}".rstrip(": ")
