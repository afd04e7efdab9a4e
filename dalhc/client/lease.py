"""The claim of a run, kept alive by a thread: two runtimes never both write."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from dalhc.client.errors import DalhcError, Fenced, Leased

if TYPE_CHECKING:
    from dalhc.client.client import Client

TTL = 60  # seconds of silence after which another may claim the run
BEATS = 3  # per TTL
RETRY = 1.0


class Lease:
    """A held lease. `epoch` raises Fenced once another runtime has claimed the process."""

    def __init__(self, client: Client, process_id: str, ttl_s: int = TTL) -> None:
        self._client, self._id, self._ttl = client, process_id, ttl_s
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._lost: Fenced | None = None
        self._epoch = self._claimed()
        self._ends = threading.Event()
        self._beats = threading.Thread(target=self._beat, name="dalhc-lease", daemon=True)
        self._beats.start()

    @property
    def epoch(self) -> int:
        if self._lost is not None:
            raise self._lost
        return self._epoch

    def release(self) -> None:
        """Let another claim at once. Tried once: a lease that is not released lapses."""
        self._ends.set()
        self._beats.join()
        with contextlib.suppress(DalhcError):
            self._client.patient(0).release(self._id, self._epoch)

    def _claimed(self) -> int:
        """A killed runtime holds its lease until it lapses: wait for that, no longer."""
        deadline = time.monotonic() + self._ttl
        while True:
            try:
                return self._client.lease(self._id, self._owner, self._ttl).lease_epoch
            except Leased:
                if time.monotonic() > deadline:
                    raise
                time.sleep(RETRY)

    def _beat(self) -> None:
        while not self._ends.wait(self._ttl / BEATS):
            try:
                self._client.heartbeat(self._id, self._epoch, self._ttl)
            except Fenced as fenced:
                self._claim_again(fenced)
            except DalhcError:
                continue  # the server is away; writes say so, and the next beat tries again
            if self._lost is not None:
                return

    def _claim_again(self, fenced: Fenced) -> None:
        """A lease that lapsed in silence is claimed again, unless another was here between."""
        before = self._epoch
        if fenced.current.get("lease_epoch") != before:
            self._lost = fenced
            return
        try:
            claimed = self._client.lease(self._id, self._owner, self._ttl).lease_epoch
        except Leased:
            self._lost = fenced
        except DalhcError:
            return
        else:
            self._epoch = claimed
            self._lost = None if claimed == before + 1 else fenced
