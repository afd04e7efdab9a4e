"""Search over objective, question, agent, tool and digest, however many runs there are."""

from __future__ import annotations

import time

from dalhc.clock import now_ms
from processes.services.verb import Verb
from processes.store import search
from processes.store.settled import Settled, settled

TOPIC = "search"
BATCH = 500
LATER_MS = 1_000
AT_ONCE = 4  # batches that a search waits for; the rest is taken in behind it


def find_processes(text: str, most: int) -> list[str]:
    """Ids of the processes that have every word, the newest text first. What was written just
    now is found too.
    """
    for _ in range(AT_ONCE):
        if not search.waits() or not index():
            break
    return search.processes(text, most)


def index() -> bool:
    """Take in what came since the last time; whether there was anything."""
    return _take_in(settled())


@Verb
def _take_in(upto: Settled) -> bool:
    return search.take_in(BATCH, upto)


def sweep() -> int | None:
    """For the keeper: take in what has come, a little at a time. It rests for as long as it
    works: thousands of rows that come at once slow nobody down.
    """
    while search.waits():
        begun = time.monotonic()
        if not index() and search.waits():
            return now_ms() + LATER_MS  # somebody who writes keeps it waiting
        time.sleep(time.monotonic() - begun)
    return None
