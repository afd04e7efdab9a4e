"""The bell: whoever waits for something to change sleeps here; whoever changed it rings after
commit.

No wake-up is lost when the waiter asks in this order: `seen = mark(topic)`, read, `wait(topic,
seen, …)`. A wake-up may come for nothing, so a waiter reads again and, if need be, waits
again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from threading import Event, Lock
from typing import Protocol

from dalhc.post import post_of

INBOX = "inbox"

# Rings remembered for those between mark and wait. Older ones are forgotten together: a waiter
# whose mark is older than what was forgotten is woken for nothing rather than not at all.
REMEMBERED = 1024


class _Waiter(Protocol):
    def wake(self) -> None: ...


class _Sleeper:
    """A thread that waits."""

    def __init__(self) -> None:
        self._event = Event()
        self.rung = False

    def wake(self) -> None:
        self.rung = not _bell.is_closed
        self._event.set()

    def sleep(self, timeout: float) -> None:
        self._event.wait(timeout)


class _Awaiter:
    """A coroutine that waits; woken through its own loop, from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._post = post_of(loop)
        self.future: asyncio.Future[bool] = loop.create_future()

    def wake(self) -> None:
        self._post.send(self.settle, not _bell.is_closed)

    def settle(self, rung: bool) -> None:
        if not self.future.done():
            self.future.set_result(rung)


class _Bell:
    """Who waits for which topic, and what rang lately. Every field is guarded by the lock."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.is_closed = False
        self.rings = 0
        self.forgotten = 0
        self.lately: OrderedDict[str, int] = OrderedDict()
        self.waiting: dict[str, dict[_Waiter, None]] = {}

    def ring(self, topic: str) -> Iterable[_Waiter]:
        """Note the ring; hand over those to be woken."""
        with self.lock:
            self.rings += 1
            self.lately[topic] = self.rings
            self.lately.move_to_end(topic)
            if len(self.lately) > REMEMBERED:
                _, self.forgotten = self.lately.popitem(last=False)
            return self.waiting.pop(topic, ())

    def ring_all(self) -> list[_Waiter]:
        """Note that anything may have rung; hand over everyone."""
        with self.lock:
            self.rings += 1
            self.forgotten = self.rings
            self.lately.clear()
            return self._everyone()

    def join(self, topic: str, seen: int, waiter: _Waiter) -> bool | None:
        """Let it wait (None), or say at once that it rang (True) or never will (False)."""
        with self.lock:
            if self.is_closed:
                return False
            if self.lately.get(topic, self.forgotten) > seen:
                return True
            self.waiting.setdefault(topic, {})[waiter] = None
            return None

    def leave(self, topic: str, waiter: _Waiter) -> None:
        with self.lock:
            waiters = self.waiting.get(topic)
            if waiters is not None:
                waiters.pop(waiter, None)
                if not waiters:
                    del self.waiting[topic]

    def close(self) -> list[_Waiter]:
        with self.lock:
            self.is_closed = True
            return self._everyone()

    def open(self) -> None:
        with self.lock:
            self.is_closed = False

    def _everyone(self) -> list[_Waiter]:
        everyone = [waiter for waiters in self.waiting.values() for waiter in waiters]
        self.waiting.clear()
        return everyone


_bell = _Bell()


def mark(topic: str) -> int:
    """What has rung up to now, for every topic alike; take it before reading what you may wait
    for.
    """
    return _bell.rings


def ring(topic: str) -> None:
    """Wake everyone who waits for the topic. Costs the same whether or not anyone does."""
    for waiter in _bell.ring(topic):
        waiter.wake()


def ring_everything() -> None:
    """Wake everyone, also whoever has taken a mark and does not wait yet: news was missed."""
    for waiter in _bell.ring_all():
        waiter.wake()


def wait(topic: str, seen: int, timeout: float) -> bool:
    """Sleep this thread until the topic rings after `seen` (True), or for `timeout` seconds
    (False).
    """
    sleeper = _Sleeper()
    known = _bell.join(topic, seen, sleeper)
    if known is not None:
        return known
    try:
        sleeper.sleep(timeout)
    finally:
        _bell.leave(topic, sleeper)
    return sleeper.rung


async def waiting(topic: str, seen: int, timeout: float) -> bool:
    """Like `wait`, for a coroutine: it holds no thread and no database connection."""
    loop = asyncio.get_running_loop()
    awaiter = _Awaiter(loop)
    known = _bell.join(topic, seen, awaiter)
    if known is not None:
        return known
    alarm = loop.call_later(max(timeout, 0), awaiter.settle, False)
    try:
        return await awaiter.future
    finally:
        alarm.cancel()
        _bell.leave(topic, awaiter)


def close() -> None:
    """The server ends: wake everyone with False; later waits return at once."""
    for waiter in _bell.close():
        waiter.wake()


def reopen() -> None:
    """The server starts: waits wait again."""
    _bell.open()


def closed() -> bool:
    """Whether the server is ending."""
    return _bell.is_closed


def waiters() -> int:
    """How many wait now."""
    with _bell.lock:
        return sum(map(len, _bell.waiting.values()))
