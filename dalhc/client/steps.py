"""The tool steps of one run: done once, recorded, and read back after a crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal
from uuid import uuid4

from dalhc.client.cursor import Cursor
from dalhc.client.errors import DalhcError, Denied
from dalhc.client.models import Head, Step
from dalhc.client.text import in_words, sendable
from processes.journal import limits
from processes.journal.canonical import canonical_args, step_key

type Effect = Literal["at_most_once", "at_least_once", "idempotent"]
type Args = str | dict[str, Any] | list[Any]

SENT = 2 * limits.DIGEST_CHARS  # the server clips, and says that it did


class Steps:
    """What the process has recorded as done, and the way to do more. Failures block nothing."""

    def __init__(self, cursor: Cursor, head: Head) -> None:
        self._cursor = cursor
        self._recorded: dict[str, Step] = {}
        self._denied: set[str] = set()
        self._uploads: list[str] | None = None  # of the step that is being done
        if head.steps_used:
            for step in cursor.client.steps(head.id):
                self._keep(step)

    def take(self, tool: str, args: Args, do: Callable[[], str], effect: Effect) -> str:
        """The recorded digest of this call, which `do` makes when there is none.

        Raises Denied, and does nothing, when a person denied this very call.
        """
        text = canonical_args(args)
        key = step_key(tool, text)
        if key in self._denied:
            raise Denied("denied")
        step = self._recorded.get(key)
        if step is None:
            self._cursor.go_on()
            attempt = self._begun(tool, text, effect)
            result, artifacts = self._done(tool, text, do, effect, attempt)
            return self._record(tool, text, True, result, artifacts, effect, attempt)
        if not self._cursor.running:
            return step.result_digest
        # Sent all the same: the page then says "seen before, skipped".
        return self._record(tool, text, True, step.result_digest, step.artifacts, effect)

    def deny(self, tool: str, args: str) -> None:
        """Refuse this call before it is done; the server refuses it when it is recorded."""
        self._denied.add(step_key(tool, args))

    def uploaded(self, path: str) -> None:
        """A file kept while a step is being done is listed with it."""
        if self._uploads is not None and path not in self._uploads:
            self._uploads.append(path)

    def _begun(self, tool: str, args: str, effect: Effect) -> str | None:
        """A call that must not run twice is said before it is made. Raises MayHaveRun."""
        if effect != "at_most_once":
            return None
        cursor, attempt = self._cursor, uuid4().hex
        cursor.write(
            lambda: cursor.client.begin_attempt(
                cursor.id, tool, args, attempt, effect=effect, lease_epoch=cursor.epoch
            )
        )
        return attempt

    def _done(
        self,
        tool: str,
        args: str,
        do: Callable[[], str],
        effect: Effect,
        attempt: str | None,
    ) -> tuple[str, tuple[str, ...]]:
        outer, self._uploads = self._uploads, []
        try:
            return do(), tuple(self._uploads)
        except DalhcError:  # our own trouble, not the tool's
            raise
        except Exception as error:
            self._record(
                tool, args, False, in_words(error), tuple(self._uploads), effect, attempt
            )
            raise
        finally:
            self._uploads = outer

    def _record(
        self,
        tool: str,
        args: str,
        success: bool,
        result: str,
        artifacts: tuple[str, ...],
        effect: Effect,
        attempt: str | None = None,
    ) -> str:
        cursor = self._cursor
        kept = cursor.write(
            lambda: cursor.client.append(
                cursor.id,
                tool,
                args,
                success,
                sendable(result[:SENT]),
                artifacts=artifacts,
                effect=effect,
                attempt_id=attempt,
                lease_epoch=cursor.epoch,
            )
        )
        self._keep(kept)
        return kept.result_digest

    def _keep(self, step: Step) -> None:
        if step.success:
            self._recorded[step.idempotency_key] = step
