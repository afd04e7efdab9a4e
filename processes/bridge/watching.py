"""The watch beside a server: started when there is a folder to watch."""

from __future__ import annotations

from threading import Event, Thread

from django.conf import settings

from processes.bridge.watch import Watch


class Watching:
    """One watch in a thread of its own; none when no folder is named and none is there."""

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self._thread: Thread | None = None
        self._stop = Event()

    def start(self) -> None:
        root = settings.ENVIRONMENT.watched_root
        if root is None or self._thread is not None:
            return
        self._stop.clear()
        self.watch = Watch(root)
        self._thread = Thread(
            target=self.watch.run, args=(self._stop,), name="journals", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(5)
        self._thread = self.watch = None


SERVER = Watching()
