"""One thread that looks whether another process has written to the database, while somebody
waits here and there is another process at all.
"""

from __future__ import annotations

import logging
from threading import Event, Thread

from django.db import DatabaseError, connection

from dalhc.db import notices
from dalhc.db.sqlite import present

SECONDS = 0.05

log = logging.getLogger("dalhc.notices")


class Watch:
    """Looks every 50 ms. What changed while nobody looked is told at the next look."""

    def __init__(self, ears: notices.Ears, changed: notices.Changed) -> None:
        self._ears, self._changed = ears, changed
        self._version, self._newest = -1, -1
        self._ending = Event()
        self._thread = Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        self._thread.join(2)

    def _run(self) -> None:
        while not self._ending.wait(SECONDS):
            if self._ears.waiting() and present.others():
                try:
                    self._look()
                except DatabaseError as error:
                    log.warning("Looking for changes failed: %s", type(error).__name__)
                    connection.close()
        connection.close()

    def _look(self) -> None:
        version = self._data_version()
        if version == self._version:
            return
        first, self._version = self._newest < 0, version
        self._newest, topics = self._changed(self._newest)
        if first or topics is None:
            self._ears.everything()
            return
        for topic in topics:
            self._ears.topic(topic)

    def _data_version(self) -> int:
        """Another number whenever another connection has committed."""
        with connection.cursor() as cursor:
            return int(cursor.execute("PRAGMA data_version").fetchone()[0])
