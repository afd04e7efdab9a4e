"""Calls for an event loop from other threads: however many are sent, the loop is woken once.

Waking a loop costs a system call and the interpreter; a group commit answers many at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary


class Post:
    """What other threads have sent to one loop. `send` may be called from any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._is_coming = False

    def send(self, call: Callable[..., None], *arguments: Any) -> None:
        """Let the loop make the call soon; in the order of sending."""
        self._calls.append((call, arguments))
        # Appended before it is asked: a delivery that is still to come finds it.
        if not self._is_coming:
            self._is_coming = True
            with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_coming = False
        while self._calls:
            call, arguments = self._calls.popleft()
            try:
                call(*arguments)
            except Exception as error:
                context = {"message": "A call sent to the loop failed.", "exception": error}
                self._loop.call_exception_handler(context)


_posts: WeakKeyDictionary[asyncio.AbstractEventLoop, Post] = WeakKeyDictionary()


def post_of(loop: asyncio.AbstractEventLoop) -> Post:
    """The one post of a loop; asked for in the loop's own thread."""
    if (post := _posts.get(loop)) is None:
        post = _posts[loop] = Post(loop)
    return post
