"""Where a run stands between running and suspended: waiting, resuming, stopping."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from dalhc.client.errors import ApprovalRequired, DalhcError, NotRunning, RunEnded
from dalhc.client.models import Decision, Head
from dalhc.client.processes import Processes

LONG_POLL = 25
BREATH = 0.25  # seconds, when a wait comes back at once although nothing changed


class Epoch(Protocol):
    """A claim that is held: a lease, or a wake."""

    @property
    def epoch(self) -> int: ...


class Cursor:
    """One process as its runtime drives it; `running` is what the server last said."""

    def __init__(self, client: Processes, head: Head, lease: Epoch | None) -> None:
        self.client = client
        self.id = head.id
        self.lease = lease
        self.running = head.state == "running"

    @property
    def epoch(self) -> int | None:
        """The lease epoch every write carries. Raises Fenced once the lease is lost."""
        return self.lease.epoch if self.lease else None

    def go_on(self) -> Decision | None:
        """Resume, waiting while only a person can move the process; what the person decided.

        Raises RunEnded when the process was ended meanwhile.
        """
        decision: Decision | None = None
        while not self.running:
            decision = self._resumed()
            if not self.running:
                self._wait()
        return decision

    def stop(self, reason: str, ask_key: str | None, said: dict[str, Any]) -> Decision | None:
        """Suspend, wait, resume. A stop known by its `ask_key` is not made again."""
        try:
            delivered = self._suspended(reason, ask_key, said)
        except NotRunning:  # it still waits at another stop; that one comes first
            self.go_on()
            delivered = self._suspended(reason, ask_key, said)
        if delivered is None and not self.running:
            self._wait()
        return delivered or self.go_on()

    def write[T](self, verb: Callable[[], T]) -> T:
        """The verb's reply; a process that a person ended says so with that person's note."""
        try:
            return verb()
        except RunEnded as ended:
            raise self.ended() from ended

    def ended(self) -> RunEnded:
        """How the process ended, with the note of whoever ended it."""
        return has_ended(self.client.get(self.id, last_steps=1))

    def _suspended(
        self, reason: str, ask_key: str | None, said: dict[str, Any]
    ) -> Decision | None:
        """What was decided, for a stop that has been delivered before; else None.

        A runtime is shown a decision only once it was handed over, so having one means that.
        """
        reply = self.write(
            lambda: self.client.suspend(
                self.id, reason, ask_key=ask_key, lease_epoch=self.epoch, **said
            )
        )
        self.running = reply.record.state == "running"
        return reply.suspension.decision

    def _wait(self) -> None:
        while True:
            began = time.monotonic()
            if not self.client.next(self.id, wait=LONG_POLL).waits:
                return
            if time.monotonic() - began < BREATH:
                time.sleep(BREATH)
            _ = self.epoch

    def _resumed(self) -> Decision | None:
        try:
            reply = self.client.resume(self.id, lease_epoch=self.epoch)
        except ApprovalRequired:  # taken back between the look and the resume
            time.sleep(BREATH)
            return None
        match reply.result:
            case "continue":
                self.running = True
                return reply.decision
            case "needs_answer":
                time.sleep(BREATH)
                return None
            case "terminal":
                raise self.ended()
            case unknown:
                raise DalhcError("unknown_result", detail=f"The result {unknown!r} is unknown.")


def has_ended(head: Head) -> RunEnded:
    current = {"state": head.state, "note": head.outcome}
    said = f"The process {head.id} has {head.state}"
    detail = f"{said}: {head.outcome}" if head.outcome else f"{said}."
    return RunEnded("process_terminal", detail=detail, current=current)
