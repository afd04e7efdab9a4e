"""Short reads for coroutines, in threads of their own."""

from __future__ import annotations

from collections.abc import Callable

from dalhc.db.threads import Threads, read_again
from dalhc.front.written import written

# Reading takes a tenth of a millisecond; two threads serve thousands that wake one by one.
_readers = Threads(2, "reader")


async def reading[T](read: Callable[[], T], since: float | None = None) -> T:
    """What `read` returns or raises; it may use the database. It is the rest of a request that
    began `since`, or a whole one.
    """
    return await written(_readers.submit(lambda: read_again(read), since))
