"""A verb is one write: lock, rule, keep, tell. A result without a change rolls back to
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial, update_wrapper
from typing import Any

from dalhc import bell
from dalhc.db import notices, writer
from dalhc.db.batch import Told
from processes.store import trace


class Unchanged(Exception):
    """The verb had nothing to write; `result` is its reply, and its lock is rolled back."""

    def __init__(self, result: Any) -> None:
        super().__init__("unchanged")
        self.result = result


class Verb[**P, T]:
    """Call it and wait, or `submit` it from a coroutine: the same function either way."""

    def __init__(self, work: Callable[P, T]) -> None:
        self._work = work
        self._plan: Callable[P, writer.Plan[T] | None] | None = None
        update_wrapper(self, work)

    def shortly(
        self, plan: Callable[P, writer.Plan[T] | None]
    ) -> Callable[P, writer.Plan[T] | None]:
        """Decorate the plan of a shorter way of the same (`dalhc.db.short`)."""
        self._plan = plan
        return plan

    def _closure(self, *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        whole = partial(_traced, self._work, *args, **kwargs)
        if self._plan is None:
            return whole
        return writer.Short(whole, partial(_traced, self._plan, *args, **kwargs))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return writer.write(self._closure(*args, **kwargs))
        except Unchanged as same:
            result: T = same.result
            return result

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """A future of the same result; an Unchanged comes as its exception."""
        return writer.submit(self._closure(*args, **kwargs))

    def send(self, told: Told, /, *args: P.args, **kwargs: P.kwargs) -> None:
        """As `submit`; `told` gets the result, or the error, from another thread."""
        writer.send(self._closure(*args, **kwargs), told)


def result_of[T](future: Future[T]) -> T:
    """Wait for what was submitted; a result without a change is one too."""
    try:
        return future.result()
    except Unchanged as same:
        result: T = same.result
        return result


def _traced[**P, T](work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The events of this work say which trace they belong to, if the caller has one."""
    told = getattr(kwargs.get("by"), "trace", None)
    if told is None:
        return work(*args, **kwargs)
    token = trace.current.set(told)
    try:
        return work(*args, **kwargs)
    finally:
        trace.current.reset(token)


def tell(*topics: str) -> None:
    """Ring after the commit, so that whoever wakes finds what woke it; other servers ring when
    they hear of it.
    """
    notices.send(*topics)
    for topic in topics:
        writer.after_commit(partial(bell.ring, topic))
