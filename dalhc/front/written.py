"""A coroutine awaits what the writer has in hand."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from dalhc.post import post_of
from processes.services.verb import Verb


async def written[**P, T](verb: Verb[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of the verb once it is committed, or what it raises; an Unchanged too. A group
    commit wakes the loop once for everyone who awaits it here.
    """
    loop = asyncio.get_running_loop()
    here: asyncio.Future[T] = loop.create_future()
    verb.send(partial(post_of(loop).send, _settle, here), *args, **kwargs)
    return await here


def _settle(here: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if here.done():  # whoever awaited it has gone
        return
    if error is not None:
        here.set_exception(error)
    else:
        here.set_result(result)
