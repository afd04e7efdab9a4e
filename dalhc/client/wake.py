"""One wake: admitted, run for one bounded continuation, flushed, committed."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from dalhc.client.cursor import Cursor
from dalhc.client.errors import DalhcError, Fenced, MayHaveRun, RunEnded
from dalhc.client.lease import BEATS
from dalhc.client.models import Asleep, Claimed, Decision, Suspension
from dalhc.client.sleepers import Condition, WakeBudget
from dalhc.client.steps import Args, Effect, Steps
from processes.journal.canonical import canonical_args, step_key

if TYPE_CHECKING:
    from dalhc.client.client import Client


class Wake:
    """A claimed agent, for one continuation; `with` keeps the claim alive.

    In it: `resume` (the decision, if one waits), `step`, `ask` or `complete`, and at last
    `commit` with what it sleeps on next. Nothing here waits for a person: an agent that asks
    sleeps on the answer. Left without a commit it is given back, and is due again.
    """

    def __init__(self, client: Client, claimed: Claimed, ttl_s: int = 60) -> None:
        self.claimed = claimed
        self.id = claimed.record.id
        self.is_over = False  # committed, given back, or the process has ended
        self._client, self._ttl = client, ttl_s
        self._lost: Fenced | None = None
        self._cursor = Cursor(client, claimed.record, self)
        self._recorded: Steps | None = None
        self._ends = threading.Event()
        self._beats = threading.Thread(target=self._beat, name="dalhc-wake", daemon=True)

    def __enter__(self) -> Self:
        self._beats.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.set()
        self._beats.join()
        if not self.is_over and self._lost is None:
            with contextlib.suppress(DalhcError):  # what is not given back lapses
                self._client.patient(0).give_back(self.id, self.claimed.lease_epoch)

    def __repr__(self) -> str:
        return f"Wake({self.id!r}, {self.claimed.woken_by.kind})"

    @property
    def epoch(self) -> int:
        """What every write carries. Raises Fenced once another has the claim."""
        if self._lost is not None:
            raise self._lost
        return self.claimed.lease_epoch

    @property
    def woken_by(self) -> str:
        """timer, human, wait-provider or explicit."""
        return self.claimed.woken_by.kind

    @property
    def payload(self) -> dict[str, Any]:
        """What came with the signal."""
        return self.claimed.woken_by.payload or {}

    def resume(self) -> Decision | None:
        """Go on, with what a person decided if that is new. Only now is it handed over.

        `is_running` is False afterwards when a person still has to answer.
        """
        reply = self._client.resume(self.id, lease_epoch=self.epoch)
        if reply.result == "terminal":
            self.is_over = True
            raise RunEnded("process_terminal", detail=f"The process {self.id} has ended.")
        self._cursor.running = reply.result == "continue"
        return reply.decision

    @property
    def is_running(self) -> bool:
        """Whether it may take steps now."""
        return self._cursor.running

    def step(
        self, tool: str, args: Args, *, do: Callable[[], str], effect: Effect = "at_least_once"
    ) -> str:
        """The recorded result of this call, which `do` makes when there is none.

        An `at_most_once` call is begun on the server first; when an earlier attempt has no
        result, nothing runs and MayHaveRun is raised: `ask_again` lets a person decide.
        """
        if self._recorded is None:
            self._recorded = Steps(self._cursor, self.claimed.record)
        return self._recorded.take(tool, args, do, effect)

    def ask(
        self,
        question: str,
        *,
        options: Sequence[str] | None = None,
        detail: str | None = None,
        ask_key: str | None = None,
    ) -> Suspension:
        """Ask the principal; then commit on `human(suspension.id)`."""
        return self._stopped(
            "ask_user", question=question, options=options, detail=detail, ask_key=ask_key
        )

    def ask_again(self, tool: str, args: Args, unsure: MayHaveRun) -> Suspension:
        """Let a person decide whether a call that may have run runs again."""
        text = canonical_args(args)
        attempt = str(unsure.current.get("attempt_id", ""))
        return self._stopped(
            "guard",
            detail="This call may have run before a crash; it must not run twice.",
            proposed_action={"tool": tool, "args": text},
            hold=True,
            ask_key=f"again-{step_key(tool, text)[:32]}-{attempt[:64]}",
        )

    def complete(self, final_text: str | None = None) -> None:
        """The objective is reached; nothing wakes it again."""
        self._client.complete(self.id, final_text, lease_epoch=self.epoch)
        self.is_over = True

    def fail(self, error: str) -> None:
        """The objective is given up; nothing wakes it again."""
        self._client.fail(self.id, error, lease_epoch=self.epoch)
        self.is_over = True

    def commit(
        self,
        *conditions: Condition,
        turn_id: str | None = None,
        budget: WakeBudget | None = None,
    ) -> Asleep:
        """Flush, then sleep on these: the descriptor is written only after the flush."""
        name = turn_id or f"turn-{self.epoch}"
        asleep = self._client.commit(
            self.id, self.epoch, *conditions, turn_id=name, budget=budget or self._budget
        )
        self.is_over = True
        return asleep

    def give_back(self) -> None:
        """Let go; what woke it is still settled."""
        self._client.give_back(self.id, self.epoch)
        self.is_over = True

    @property
    def _budget(self) -> WakeBudget:
        """What was said before stays, unless something else is said."""
        said = self.claimed.descriptor.get("budget_state", {})
        found: WakeBudget = {name: said[name] for name in said if said[name] is not None}  # type: ignore[assignment]
        return found

    def _stopped(self, reason: str, **said: Any) -> Suspension:
        reply = self._client.suspend(self.id, reason, lease_epoch=self.epoch, **said)
        self._cursor.running = reply.record.state == "running"
        return reply.suspension

    def _beat(self) -> None:
        while not self._ends.wait(self._ttl / BEATS):
            try:
                self._client.heartbeat(self.id, self.claimed.lease_epoch, self._ttl)
            except Fenced as fenced:
                self._lost = fenced
                return
            except DalhcError:
                continue  # the server is away; the next beat tries again


def owner_name() -> str:
    """This boot of this program."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
