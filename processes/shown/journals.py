"""The watched folder on the page of the server's state: what is refused, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from processes.models import JournalFile
from processes.shown.waiting import MOST, bounded

SHOWN = 100


class Watched(Protocol):
    """A folder that is watched, as far as the page tells of it."""

    trouble: str

    @property
    def root(self) -> str: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Journals:
    """`root` is empty when this server watches no folder; `refused` holds the first hundred."""

    root: str
    trouble: str
    files: str
    refused: Iterable[JournalFile]
    count: str


def journals(watch: Watched | None) -> Journals:
    rows = JournalFile.objects.refused()
    count = bounded(rows.order_by().values("pk")[: MOST + 1].count())
    if watch is None:
        return Journals("", "", "", rows[:SHOWN], count)
    return Journals(watch.root, watch.trouble, f"{len(watch):,}", rows[:SHOWN], count)
