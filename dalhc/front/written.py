"""A coroutine awaits what the writer has in hand."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from dalhc.post import post_of


async def written[T](future: Future[T]) -> T:
    """The result of `writer.submit`, or what it raises. A group commit wakes the loop once for
    everyone who awaits it here.
    """
    loop = asyncio.get_running_loop()
    here: asyncio.Future[T] = loop.create_future()
    post = post_of(loop)
    future.add_done_callback(lambda done: post.send(_settle, here, done))
    return await here


def _settle[T](here: asyncio.Future[T], done: Future[T]) -> None:
    if here.done():  # whoever awaited it has gone
        return
    if error := done.exception():
        here.set_exception(error)
    else:
        here.set_result(done.result())
