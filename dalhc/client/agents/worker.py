"""A worker: a process of its own that claims due agents and runs each for one continuation."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from multiprocessing.connection import Connection

from dalhc.client.agent.server import Address, connect
from dalhc.client.agents.life import PRESET, Fell, go_on
from dalhc.client.errors import DalhcError, Fenced, RunEnded
from dalhc.client.wake import Wake

# How long a claim waits on the server: the longest that an idle worker takes to end.
WAIT = 2


@dataclass(frozen=True, slots=True)
class Ready:
    """The server knows the worker; from now on it claims."""


@dataclass(frozen=True, slots=True)
class Woke:
    """An agent was claimed, in this epoch, so many milliseconds after it was due."""

    id: str
    epoch: int
    late_ms: float


@dataclass(frozen=True, slots=True)
class Broke:
    """The worker cannot go on."""

    why: str


type Report = Ready | Woke | Fell | Broke


def work(where: Address, within_s: float, parent: Connection) -> None:
    """Until the parent says so, or is gone. Ctrl-C is the parent's: it reaches both."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ends = threading.Event()
    threading.Thread(target=_listen, args=(parent, ends), daemon=True).start()
    with contextlib.suppress(OSError):  # the parent is gone; what is claimed is given back
        try:
            with connect(where) as client:
                parent.send(Ready())
                for wake in client.wakes([PRESET], wait=WAIT, until=ends):
                    _one(wake, within_s, parent)
        except DalhcError as error:
            parent.send(Broke(str(error)))


def _one(wake: Wake, within_s: float, parent: Connection) -> None:
    due_ms = datetime.fromisoformat(wake.claimed.woken_by.at).timestamp() * 1000
    parent.send(Woke(wake.id, wake.epoch, time.time() * 1000 - due_ms))
    try:
        with wake:
            fell = go_on(wake, within_s)
    except RunEnded:  # a person ended it
        fell = Fell(wake.id, None)
    except Fenced:  # another worker has it, and says what becomes of it
        return
    parent.send(fell)


def _listen(parent: Connection, ends: threading.Event) -> None:
    with contextlib.suppress(EOFError, OSError):
        parent.recv()
    ends.set()
