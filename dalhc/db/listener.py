"""One thread that LISTENs on a connection of its own, and comes back when that is lost."""

from __future__ import annotations

import logging
import time
from threading import Event, Thread
from typing import Any

import psycopg
from django.db import connection

from dalhc.db import notices, patience
from dalhc.db.patient.wire import Wire

# A dead peer is noticed although it says nothing: a word every so often, answered or given up.
SILENT_SECONDS = 5.0
ANSWER_SECONDS = 3.0
STEP = 0.5
START_SECONDS = 10.0

log = logging.getLogger("dalhc.notices")


class Listener:
    """Hears what other servers commit. After a gap it tells everyone to look again."""

    def __init__(self, ears: notices.Ears) -> None:
        self._ears = ears
        self._params: dict[str, Any] = connection.get_connection_params()
        self._params["cursor_factory"] = psycopg.Cursor
        self._ending, self._listens = Event(), Event()
        self._thread = Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()
        self._listens.wait(START_SECONDS)

    def stop(self) -> None:
        self._ending.set()
        self._thread.join(2 * STEP)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                with Wire.connect(**self._params, autocommit=True) as wire:
                    self._hear(wire)
            except psycopg.Error as error:
                log.warning("Listening was interrupted: %s", type(error).__name__)
                self._ending.wait(STEP)
            except Exception:
                log.exception("A notice could not be passed on.")
                self._ending.wait(STEP)

    def _hear(self, wire: psycopg.Connection[Any]) -> None:
        _say(wire, f"LISTEN {notices.CHANNEL}")
        if self._listens.is_set():
            # Who was cut off here was cut off there too: nobody is to meet those one by one.
            connection.pool.drain()  # type: ignore[attr-defined]
        self._listens.set()
        self._ears.everything()
        heard = time.monotonic()
        while not self._ending.is_set():
            for notice in wire.notifies(timeout=STEP):
                heard = time.monotonic()
                sender, _, topic = notice.payload.partition(" ")
                if sender != notices.SELF:
                    self._ears.topic(topic)
            if time.monotonic() - heard > SILENT_SECONDS:
                _say(wire, "SELECT 1")
                heard = time.monotonic()


def _say(wire: psycopg.Connection[Any], statement: str) -> None:
    with patience.within(ANSWER_SECONDS):
        wire.execute(statement)
