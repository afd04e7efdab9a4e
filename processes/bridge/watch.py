"""A folder of journals mirrored live: every rename is seen, and every decision is written."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from threading import Event

import watchfiles

from dalhc.clock import now_ms
from dalhc.db.refusals import StorageRefusal
from dalhc.problems import Problem
from processes.bridge.pipeline import pipelined
from processes.journal import errors
from processes.journal.folder import ENDING, Folder, changed_ms
from processes.models import JournalFile
from processes.services import mirror, writeback

STEP, DEBOUNCE, TICK = 25, 100, 1_000  # ms: a change is seen within the second, mostly at once
RESCAN = 60.0  # seconds: what the system may have failed to tell
RETRY = 2.0
UNFINISHED_MS = 10_000  # a temporary file younger than this belongs to a write in progress
# Refusals that may be over although the file is the same.
_MAY_PASS = {errors.ProcessExists.code, errors.FileChanged.code}

log = logging.getLogger("dalhc.files")


class Watch:
    """One folder. `trouble` says why it cannot be watched just now."""

    def __init__(self, root: Path) -> None:
        self.folder = Folder(root)
        self.trouble = ""
        self._known: dict[str, str] = {}

    @property
    def root(self) -> str:
        return str(self.folder.path)

    def __len__(self) -> int:
        """How many journals stand there."""
        return len(self._known)

    def run(self, stop: Event) -> None:
        """Until told to stop; a folder that goes away is waited for."""
        while not stop.is_set():
            try:
                self._watch(stop)
            except Exception as error:
                self._failed(error)
                stop.wait(RETRY)

    def scan(self) -> None:
        """Look at every file that is not as it was; nothing else is opened."""
        found = self.folder.entries()
        for name in self._known.keys() - found.keys():
            mirror.gone(self.folder.path / name)
            del self._known[name]
        now = now_ms()
        new = [name for name, stamp in found.items() if self._known.get(name) != stamp]
        self.look(sorted(name for name in new if name.endswith(ENDING)))
        for name in new:
            if name.endswith(".tmp") and now - changed_ms(found[name]) > UNFINISHED_MS:
                self._refuse(name, errors.UnfinishedWrite())

    def look(self, names: Iterable[str]) -> None:
        """Mirror these files; one that is refused hides no other."""
        pipelined(names, self._begin, self._done)

    def _watch(self, stop: Event) -> None:
        self.folder.make()
        self.folder.sweep()
        self._known = _known(self.folder.path)
        self.scan()
        self.trouble, scanned = "", 0.0
        for changes in watchfiles.watch(
            self.folder.path, watch_filter=None, debounce=DEBOUNCE, step=STEP, stop_event=stop,
            rust_timeout=TICK, yield_on_timeout=True, recursive=False, raise_interrupt=False,
        ):  # fmt: skip
            self.look(sorted({Path(path).name for _, path in changes if _is_journal(path)}))
            # The first time what changed between the scan and the watch.
            if time.monotonic() - scanned > RESCAN:
                self.scan()
                scanned = time.monotonic()
            if not self.folder.path.is_dir():
                raise FileNotFoundError(f"{self.folder.path} has gone.")
            writeback.deliver_all()

    def _begin(self, name: str) -> Future[bool]:
        seen = mirror.look(self.folder, name)
        self._known[name] = seen.stamp
        return mirror.take.submit(seen, mirror.read(seen))

    def _done(self, name: str, kept: bool | None, error: Exception | None) -> None:
        match error:
            case None:
                pass
            case FileNotFoundError():
                mirror.gone(self.folder.path / name)
                self._known.pop(name, None)
            case Problem() if not isinstance(error, StorageRefusal):
                self._refuse(name, error)
            case _:
                self._known.pop(name, None)
                raise error

    def _refuse(self, name: str, problem: Problem) -> None:
        stamp = self.folder.stamp(name)
        if stamp is None:
            return
        mirror.refuse(self.folder.path / name, stamp, problem)
        if problem.code in _MAY_PASS:
            self._known.pop(name, None)
        else:
            self._known[name] = stamp

    def _failed(self, error: Exception) -> None:
        said = " ".join(str(error).split()) or type(error).__name__
        if said != self.trouble:
            log.warning("%s is not watched: %s", self.folder.path, said)
        self.trouble = said


def _known(root: Path) -> dict[str, str]:
    """What was seen before this start: unchanged files are not read again."""
    seen = JournalFile.objects.under(str(root)).exclude(code__in=_MAY_PASS)
    rows = seen.values_list("id", "stamp").iterator(2_000)
    return {id.rsplit("/", 1)[1]: stamp for id, stamp in rows}


def _is_journal(path: str) -> bool:
    name = Path(path).name
    return name.endswith(ENDING) and not name.startswith(".")
