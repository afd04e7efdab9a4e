"""Read the next file while the writer keeps the last ones: nobody waits for a disk twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future

from processes.services import Unchanged

AHEAD = 32  # files in memory at once


def pipelined[Item, Kept](
    items: Iterable[Item],
    begin: Callable[[Item], Future[Kept]],
    done: Callable[[Item, Kept | None, Exception | None], None],
) -> None:
    """`begin` each item in order and tell `done` what came of it: what was kept, None when
    there was nothing new, or the error.
    """
    begun: deque[tuple[Item, Future[Kept]]] = deque()
    for item in items:
        try:
            begun.append((item, begin(item)))
        except Exception as error:
            done(item, None, error)
        if len(begun) > AHEAD:
            _settle(*begun.popleft(), done)
    while begun:
        _settle(*begun.popleft(), done)


def _settle[Item, Kept](
    item: Item,
    future: Future[Kept],
    done: Callable[[Item, Kept | None, Exception | None], None],
) -> None:
    match future.exception():
        case None:
            done(item, future.result(), None)
        case Unchanged():
            done(item, None, None)
        case Exception() as error:
            done(item, None, error)
        case BaseException() as end:
            raise end
