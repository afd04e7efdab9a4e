"""A thread that does what time asks for: it sleeps on the bell until the next moment, or until
something changes when that is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread

from django.db import connection

from dalhc import bell
from dalhc.clock import now_ms
from dalhc.db import sql

LONGEST = 60.0  # seconds; a clock that was set may have passed a moment meanwhile
AFTER_TROUBLE = 5.0
LAST_WORDS = 5.0
HELD = 1.0  # seconds for which a sleeper keeps its connection

type Sweep = Callable[[], int | None]

log = logging.getLogger("dalhc.keeper")


class Keeper:
    """`sweep` does what is due and returns the next moment in Unix milliseconds, if any."""

    def __init__(self, topic: str, sweep: Sweep) -> None:
        self._topic, self._sweep = topic, sweep
        self._thread: Thread | None = None

    def start(self) -> None:
        self._thread = Thread(target=self._run, name=self._topic, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """After the bell has closed: let it finish what it is at."""
        if self._thread is not None:
            self._thread.join(LAST_WORDS)

    def _run(self) -> None:
        try:
            while not bell.closed():
                seen = bell.mark(self._topic)
                seconds = self._swept()
                if seconds > HELD and sql.is_postgresql():
                    connection.close()  # others may have it meanwhile
                bell.wait(self._topic, seen, seconds)
        finally:
            connection.close()

    def _swept(self) -> float:
        """Do what is due; returns for how many seconds there is nothing to do."""
        try:
            moment = self._sweep()
        except Exception:
            log.exception("The %s was not done; it is tried again.", self._topic)
            connection.close()
            return AFTER_TROUBLE
        if moment is None:
            return LONGEST
        return min(LONGEST, max(0.0, (moment - now_ms()) / 1000))
