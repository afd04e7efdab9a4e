"""One face for the two places a run can be kept: a server, or a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self

from dalhc.client.cursor import has_ended
from dalhc.client.errors import ApprovalRequired, RunEnded
from dalhc.client.lease import Lease
from dalhc.client.moves import Args, Step, Turn
from dalhc.client.run import Run
from dalhc.client.text import clipped, sendable
from processes.journal import errors, limits

if TYPE_CHECKING:
    from dalhc.client.folder import FolderRun, JournalFolder

type Resumed = Literal["continue", "needs_answer", "held", "terminal"]
SENT = 2 * limits.DIGEST_CHARS  # clipped where it is kept, and the clipping is told there


class Journal(Protocol):
    """A process as a tool loop needs it. Raises Ended when it is over, by whomever."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def resume(self) -> Resumed: ...
    @property
    def objective(self) -> str: ...
    @property
    def stopped_for(self) -> str | None: ...
    @property
    def question(self) -> str: ...
    def steps(self) -> list[Step]: ...
    def turns(self) -> tuple[Turn, ...]: ...
    def append(
        self, tool: str, args: Args, success: bool, digest: str, artifacts: Sequence[str]
    ) -> Step: ...
    def suspend(self, reason: str, said: str) -> None: ...
    def complete(self, text: str) -> None: ...
    def fail(self, text: str) -> None: ...


class Ended(Exception):
    """The process has ended: `state`, and what whoever ended it said."""

    def __init__(self, state: str, text: str) -> None:
        super().__init__(text)
        self.state, self.text = state, text


def journal_of(run: Run | FolderRun) -> Journal:
    """The journal of a run that has not been entered."""
    return ServerJournal(run) if isinstance(run, Run) else FolderJournal(run)


class ServerJournal:
    """A process on a server; opened on entering, or gone on with."""

    def __init__(self, run: Run) -> None:
        self._run, self._client = run, run.client
        self._lease: Lease | None = None

    def __enter__(self) -> Self:
        self._head = self._run.opened()
        if self._run.wants_lease and not self._head.ended:
            self._lease = Lease(self._client, self._head.id)
        return self

    def __exit__(self, *_: object) -> None:
        if self._lease:
            self._lease.release()

    @property
    def objective(self) -> str:
        return self._head.objective

    @property
    def stopped_for(self) -> str | None:
        return self._head.suspend_reason

    @property
    def question(self) -> str:
        return self._head.question or ""

    def resume(self) -> Resumed:
        if self._head.ended:
            raise Ended(self._head.state, self._head.outcome or "")
        try:
            told = self._client.resume(self._head.id, lease_epoch=self._epoch)
        except ApprovalRequired:
            return "held"
        match told.result:
            case "continue" | "needs_answer" as known:
                return known
            case _:
                raise self._ended()

    def steps(self) -> list[Step]:
        return list(self._client.steps(self._head.id)) if self._head.steps_used else []

    def turns(self) -> tuple[Turn, ...]:
        return tuple(self._client.turns(self._head.id))

    def append(
        self, tool: str, args: Args, success: bool, digest: str, artifacts: Sequence[str]
    ) -> Step:
        try:
            return self._client.append(
                self._head.id, tool, args, success, sendable(digest[:SENT]),
                artifacts=artifacts, lease_epoch=self._epoch,
            )  # fmt: skip
        except RunEnded as ended:
            raise self._ended() from ended

    def suspend(self, reason: str, said: str) -> None:
        asks = reason == "ask_user"
        question = clipped(said, limits.TEXT_CHARS) if asks else None
        detail = None if asks else clipped(said, limits.NOTE_CHARS)
        try:
            self._client.suspend(
                self._head.id, reason, question=question, detail=detail,
                lease_epoch=self._epoch,
            )  # fmt: skip
        except RunEnded as ended:
            raise self._ended() from ended

    def complete(self, text: str) -> None:
        try:
            final = clipped(text, limits.TEXT_CHARS)
            self._client.complete(self._head.id, final, lease_epoch=self._epoch)
        except RunEnded as ended:
            raise self._ended() from ended

    def fail(self, text: str) -> None:
        try:
            error = clipped(text, limits.TEXT_CHARS)
            self._client.fail(self._head.id, error, lease_epoch=self._epoch)
        except RunEnded as ended:
            raise self._ended() from ended

    @property
    def _epoch(self) -> int | None:
        return self._lease.epoch if self._lease else None

    def _ended(self) -> Ended:
        ended = has_ended(self._client.get(self._head.id, last_steps=1))
        return Ended(ended.state, ended.note)


class FolderJournal:
    """A process in a folder of files. Its final words are the loop's outcome: the file has no
    place for them.
    """

    def __init__(self, run: FolderRun) -> None:
        self._folder: JournalFolder = run.folder
        self._run = run

    def __enter__(self) -> Self:
        self._record = self._run.opened()
        self.id = self._record.id
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held between two verbs."""

    @property
    def objective(self) -> str:
        return self._record.objective

    @property
    def stopped_for(self) -> str | None:
        return self._record.suspend_reason

    @property
    def question(self) -> str:
        return self._record.question or ""

    def resume(self) -> Resumed:
        told = self._folder.resume_at(self.id)
        match str(told.result):
            case "continue" | "needs_answer" as known:
                return known
            case _:
                raise Ended(told.record.state, "")

    def steps(self) -> list[Step]:
        return list(self._folder.read(self.id).steps)

    def turns(self) -> tuple[Turn, ...]:
        return self._folder.read(self.id).turns

    def append(
        self, tool: str, args: Args, success: bool, digest: str, artifacts: Sequence[str]
    ) -> Step:
        try:
            return self._folder.append_step_at(
                self.id, tool, args, success, sendable(digest[:SENT]), artifacts
            ).step
        except errors.ProcessTerminal as ended:
            raise self._ended() from ended

    def suspend(self, reason: str, said: str) -> None:
        """What happened stands where a question would: the record has no other place."""
        try:
            self._folder.suspend_at(self.id, reason, clipped(said, limits.TEXT_CHARS))
        except errors.ProcessTerminal as ended:
            raise self._ended() from ended

    def complete(self, text: str) -> None:
        self._folder.complete(self.id)

    def fail(self, text: str) -> None:
        self._folder.fail(self.id)

    def _ended(self) -> Ended:
        """Someone ended it in the file; a person's note is its last turn."""
        record = self._folder.read(self.id)
        note = record.turns[-1].content if record.turns else ""
        return Ended(record.state, note)
