"""The operations on a database of dormant agents, through the services, timed one by one.

Each opens and is measured in a process of its own (`begin`, then `measure`), the raw floor
beside it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from benches import dormant_rows as rows
from benches.common import Sample, sample
from benches.dormant_floor import Floor
from benches.served import rss_kib

SECONDS = 0.4
PAGE = 50  # rows of a due lookup

_sides: dict[str, Ours | Floor] = {}


def begin(home: str, floor: str, number: int) -> None:
    """Open both databases, in the process that will be asked."""
    rows.set_up(home)
    from dalhc.db import writer

    writer.start()
    _sides["ours"], _sides["floor"] = Ours(number), Floor(floor, number)


def measure(side: str, operation: str) -> Sample:
    """One trial of `upsert`, `get`, `due` or `cycle`, of `ours` or the `floor`."""
    call = getattr(_sides[side], operation)
    if operation == "due" and side == "ours":
        return _within_a_write(lambda: repeated(call))
    return repeated(call)


def memory_kib() -> int:
    """What this process holds now."""
    return rss_kib(os.getpid())


def repeated(call: Callable[[], float]) -> Sample:
    """`call` over and over; it returns the seconds that count."""
    taken, until = [], time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        taken.append(call())
    return sample(taken, sum(taken))


def _within_a_write(work: Callable[[], Sample]) -> Sample:
    """Where a claim looks up what is due."""
    from dalhc.db import writer

    return writer.write(work)


class Ours:
    """The product, as a server has it: one thread writes for everyone."""

    def __init__(self, number: int) -> None:
        from descriptors import services
        from descriptors.contract import commands
        from processes.services import Actor

        self._services, self._commands = services, commands
        self._by, self._person = rows.runtime(0), Actor("principal", "reviewer", scopes=_READ)
        self._number, self._again = number, rows.touched(number)[0]
        self._turn, self._random = count(1), random.Random(1)
        self._revision = services.source(rows.name(0), by=self._by).revision

    def upsert(self) -> float:
        """Asleep on something else: locked, checked, noted in the log, kept."""
        turn = next(self._turn)
        number = self._again[turn % len(self._again)]
        on = rows.letter_and_timer(number, turn, None)
        said = rows.descriptor(number, on, self._revision)
        command = self._commands.Sleep.model_validate(said)
        begun = time.perf_counter()
        self._services.sleep(command, by=self._by)
        return time.perf_counter() - begun

    def get(self) -> float:
        """One that is there, anywhere among them."""
        name = rows.name(self._random.randrange(self._number))
        begun = time.perf_counter()
        found = self._services.sleeper(name, by=self._person)
        taken = time.perf_counter() - begun
        if found.session_id != name:
            raise RuntimeError(f"asked for {name}, was given {found.session_id}")
        return taken

    def due(self) -> float:
        from descriptors.store import due

        now = int(time.time() * 1000)
        begun = time.perf_counter()
        found = due.due(rows.LATE, now, None, PAGE)
        taken = time.perf_counter() - begun
        if len(found) != PAGE:
            raise RuntimeError(f"{len(found)} are due, not {PAGE}")
        return taken

    def cycle(self) -> float:
        """Claimed, and committed asleep on another letter; its timer makes it due again."""
        asked = self._commands.ClaimWakes(owner="bench")
        begun = time.perf_counter()
        claimed = self._services.claim(asked, by=self._by)
        taken = time.perf_counter() - begun
        (wake,) = claimed.wakes
        command = self._commit(wake)
        begun = time.perf_counter()
        self._services.commit(wake.row.head.id, command, by=self._by)
        return taken + time.perf_counter() - begun

    def _commit(self, wake: Any) -> Any:
        turn, number = next(self._turn), int(wake.row.head.id[-12:], 16)
        return self._commands.Commit.model_validate(
            {
                "lease_epoch": wake.row.host.lease_epoch,
                "wake_conditions": rows.letter_and_timer(number, turn, due_ms=1_000_000 + turn),
                "budget_state": {"max_consecutive_wakes": 1_000_000},
                "last_committed": wake.sleeper.descriptor.last_committed.model_dump(),
            }
        )


_READ = frozenset({"read"})
