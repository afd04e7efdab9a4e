"""A runtime that ends at a failpoint, within this process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from dalhc.db import failpoints
from dalhc.db.failpoints import Failpoint

# Reached when the write is committed already: it stays, and nobody is told of it.
LATER: tuple[Failpoint, ...] = ("after_claim", "after_append_commit", "after_session_flush")


class Died(BaseException):
    """Nothing after it happens."""


@contextlib.contextmanager
def dying(point: Failpoint | None) -> Iterator[list[Failpoint]]:
    """Holds the failpoint that was reached, when it was this one."""
    fate: list[Failpoint] = []

    def die(reached: Failpoint) -> None:
        if reached == point:
            fate.append(reached)
            if reached not in LATER:
                raise Died

    failpoints.hook = die
    try:
        with contextlib.suppress(Died):
            yield fate
    finally:
        failpoints.hook = None
