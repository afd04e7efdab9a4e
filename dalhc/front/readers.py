"""Short reads for coroutines, in threads of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from dalhc.db.threads import read_again

# Reading takes a tenth of a millisecond; two threads serve thousands that wake one by one.
_readers = ThreadPoolExecutor(2, "reader")


async def reading[T](read: Callable[[], T]) -> T:
    """What `read` returns or raises; it may use the database."""
    return await asyncio.get_running_loop().run_in_executor(_readers, read_again, read)
