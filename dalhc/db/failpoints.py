"""Named moments of a wake at which a test may end the process.

Outside tests `hook` is None and stays so: nothing a deployer could set is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

from dalhc.db import writer

type Failpoint = Literal[
    "after_claim",  # the claim is on disk, its holder has not heard of it
    "mid_stream",  # steps are written, their process is not
    "before_append_commit",  # everything of an append is written, nothing committed
    "after_append_commit",  # the step is on disk, nobody was told
    "after_session_flush",  # the flush is acknowledged, the descriptor not yet sent
    "after_wait_commit",  # the event of a commit is written, the descriptor's row is not
]
NAMES: tuple[Failpoint, ...] = get_args(Failpoint.__value__)

hook: Callable[[Failpoint], object] | None = None


def are_listened_to() -> bool:
    """A test waits for one of them: a write that has a shorter way without them leaves it."""
    return hook is not None


def reach(name: Failpoint) -> None:
    """Here, within the transaction."""
    if hook is not None:
        hook(name)


def reach_after_commit(name: Failpoint) -> None:
    """Once the write we are in is committed, before its caller is told."""
    if hook is not None:
        writer.after_commit(partial(hook, name))
