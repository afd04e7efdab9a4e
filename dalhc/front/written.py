"""A coroutine awaits what another thread has in hand."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from functools import partial
from typing import Any

from dalhc.post import post_of
from processes.services.verb import Verb


async def committed[**P, T](verb: Verb[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of the verb once it is committed, or what it raises; an Unchanged too. A group
    commit wakes the loop once for everyone who awaits it here.
    """
    loop = asyncio.get_running_loop()
    here: asyncio.Future[T] = loop.create_future()
    verb.send(partial(post_of(loop).send, _settle, here), *args, **kwargs)
    return await here


async def written[T](future: Future[T]) -> T:
    """The result of a future of other threads, or what it raises."""
    loop = asyncio.get_running_loop()
    here: asyncio.Future[T] = loop.create_future()
    post = post_of(loop)
    future.add_done_callback(lambda done: post.send(_settle_by, here, done))
    return await here


def _settle(here: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if here.done():  # whoever awaited it has gone
        return
    if error is not None:
        here.set_exception(error)
    else:
        here.set_result(result)


def _settle_by(here: asyncio.Future[Any], done: Future[Any]) -> None:
    error = done.exception()
    _settle(here, None if error else done.result(), error)
