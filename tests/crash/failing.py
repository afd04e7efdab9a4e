"""Faults of the disk in a server that runs: strace makes its calls fail while a block lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.crash.tracing import watched

FLUSH = "fsync,fdatasync"


@contextmanager
def failing(
    worker: int, calls: str, error: str, *paths: Path, first: int = 1
) -> Iterator[None]:
    """From the `first` on, each such call of each thread says `error`; of these files alone, if
    any are named.
    """
    which = [word for path in paths for word in ("-P", str(path))]
    how = f"inject={calls}:error={error}:when={first}+"
    with watched("-f", "-p", str(worker), "-e", f"trace={calls}", "-e", how, *which):
        yield


def worker_of(server: int) -> int:
    """The process that serves, which granian's own process started."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    assert len(children) == 1, children
    return int(children[0])
