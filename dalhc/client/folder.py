"""The journal on plain files, without a server or a database: `.dal/processes/<id>.json`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack
from uuid import uuid4

from dalhc.client.processes import Metadata
from dalhc.clock import now_ms
from processes.journal import errors, folder, rules, saving, steps
from processes.journal.commands import AppendStep, OpenProcess, Suspend
from processes.journal.record import (
    TERMINAL,
    Action,
    ProcessRecord,
    ProcessStep,
    State,
)
from processes.journal.text import is_visible
from processes.journal.whole import Whole, load

ROOT = ".dal/processes"
type Args = str | dict[str, Any] | list[Any]


@dataclass(frozen=True, slots=True)
class Appended:
    """The step as it is kept, or the recorded one when `skipped`; what the bounds cost it."""

    step: ProcessStep
    skipped: bool = False
    digest_clipped: bool = False
    artifacts_dropped: int = 0


@dataclass(frozen=True, slots=True)
class Resumed:
    """`needs_answer` is a result, not an error (S0:45)."""

    result: Action
    record: ProcessRecord


@dataclass(frozen=True, slots=True)
class FolderRun:
    """A process of a folder, for `run_tool_loop`: opened, or gone on with by its id."""

    folder: JournalFolder
    objective: str | None
    id: str | None
    metadata: Metadata

    def opened(self) -> ProcessRecord:
        """Raises ProcessNotFound for an unknown id without an objective, ProcessExists for
        another objective.
        """
        if self.id is not None:
            try:
                found = self.folder.read(self.id)
            except errors.ProcessNotFound:
                if self.objective is None:
                    raise
            else:
                if self.objective not in {None, found.objective}:
                    raise errors.ProcessExists(f"{self.id} has another objective.")
                return found
        return self.folder.open_process(self.objective or "", id=self.id, **self.metadata)


class JournalFolder:
    """The contract's verbs on a folder of journals, one writer per id between all processes.

    `root` defaults to `$DAL_PROCESS_ROOT`, then `.dal/processes` in the working directory; a
    relative one is resolved once, here. Every verb is on disk when it returns: a crash leaves
    the old file or the new one. A refusal is a `Problem` with a `code`, and nothing is written.
    With `DAL_AGENT_RUNTIME_PERSIST` at 0 or false every verb raises PersistenceDisabled.
    """

    def __init__(
        self, root: str | Path | None = None, *, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.root = Path(root or environ.get("DAL_PROCESS_ROOT") or ROOT).absolute()
        persist = environ.get("DAL_AGENT_RUNTIME_PERSIST", "")
        self.is_durable = persist.strip().lower() not in {"0", "false"}
        self._folder = folder.Folder(self.root)

    def __repr__(self) -> str:
        return f"JournalFolder({str(self.root)!r})"

    def open_process(
        self, objective: str, *, id: str | None = None, **metadata: Unpack[Metadata]
    ) -> ProcessRecord:
        """A new journal, suspended with the reason `opened` (S0:23). Raises ProcessExists."""
        self._require_durable()
        command = OpenProcess(objective=objective, id=id, **metadata)
        change = rules.open_process(command, id or f"proc_{uuid4()}", now_ms())
        folder.file_name(change.head.id)
        whole = Whole(ProcessRecord(**change.head.model_dump()))
        self._folder.make()
        with self._folder.locked(change.head.id) as at:
            saving.create(at, change.head.id, whole.text())
        return whole.record

    def run(
        self,
        objective: str | None = None,
        *,
        id: str | None = None,
        **metadata: Unpack[Metadata],
    ) -> FolderRun:
        """A process to drive with `run_tool_loop`."""
        return FolderRun(self, objective, id, metadata)

    def append_step_at(
        self,
        id: str,
        tool: str,
        args: Args,
        success: bool = True,
        result_digest: str = "",
        artifacts: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> Appended:
        """One step; `skipped` when this call had already succeeded (S0:29)."""
        command = AppendStep(
            tool=tool,
            args=args,  # type: ignore[arg-type]  # canonicalised by its validator
            success=success,
            result_digest=result_digest,
            artifacts=tuple(artifacts),
            idempotency_key=idempotency_key,
        )

        def append(whole: Whole) -> tuple[Whole, Appended]:
            change = rules.append(whole.head, now_ms())
            if known := whole.success(command.key):
                return whole, Appended(known, skipped=True)
            kept = steps.keep(command)
            step = ProcessStep(
                tool=command.tool,
                args=command.args,
                success=command.success,
                result_digest=kept.result_digest,
                artifacts=kept.artifacts,
                idempotency_key=command.key,
            )
            told = Appended(step, False, kept.digest_clipped, kept.artifacts_dropped)
            return whole.moved(change, step), told

        return self._write(id, append)

    def suspend_at(self, id: str, reason: str, question: str | None = None) -> ProcessRecord:
        """Stop for one of the five reasons; the same again is the same reply (S0:37-45)."""
        command = Suspend(reason=reason, question=question)

        def suspend(whole: Whole) -> tuple[Whole, ProcessRecord]:
            record = whole.record
            stop = (State.SUSPENDED, command.reason, command.question)
            if (record.state, record.suspend_reason, record.question) != stop:
                whole = whole.moved(rules.suspend(whole.head, command, now_ms()))
            return whole, whole.record

        return self._write(id, suspend)

    def resume_at(self, id: str, answer: str | None = None) -> Resumed:
        """Go on (S0:45-51). The answer to a question is given here, and becomes two turns.

        Raises AnswerEmpty, AlreadyAnswered, and NothingAsked for an answer to no question.
        """
        if answer is not None and not is_visible(answer):
            raise errors.AnswerEmpty(pointer="/answer")

        def resume(whole: Whole) -> tuple[Whole, Resumed]:
            head = whole.head
            rules.require_known(head)
            if head.state in TERMINAL:
                return whole, Resumed(Action.TERMINAL, whole.record)
            _require_asked(whole.record, answer)
            try:
                whole = whole.moved(rules.resume(head, rules.Decided(answer), now_ms()))
            except rules.NeedsAnswer:
                return whole, Resumed(Action.NEEDS_ANSWER, whole.record)
            return whole, Resumed(Action.CONTINUE, whole.record)

        return self._write(id, resume)

    def next_action(self, id: str) -> Action:
        """The same decision as `resume_at`, without a write (S0:47)."""
        return rules.next_action(self._loaded(id).head, decided=False)

    def complete(self, id: str) -> ProcessRecord:
        """The objective is reached; the same again is the same reply."""
        return self._finish(id, State.COMPLETED)

    def fail(self, id: str) -> ProcessRecord:
        """The objective is given up; the same again is the same reply."""
        return self._finish(id, State.FAILED)

    def read(self, id: str) -> ProcessRecord:
        """The whole record. Raises ProcessNotFound, and what makes a file unreadable."""
        return self._loaded(id).record

    def ids(self) -> list[str]:
        """The id of every file that is named like a journal, in order."""
        self._require_durable()
        try:
            names = self._folder.entries()
        except FileNotFoundError:
            return []
        return sorted(
            name.removesuffix(folder.ENDING) for name in names if name.endswith(folder.ENDING)
        )

    def sweep(self) -> None:
        """Remove the unfinished writes of our own kind that a crash left."""
        self._require_durable()
        self._folder.sweep()

    def _finish(self, id: str, state: State) -> ProcessRecord:
        def finish(whole: Whole) -> tuple[Whole, ProcessRecord]:
            if whole.record.state != state:
                whole = whole.moved(rules.finish(whole.head, state, now_ms()))
            return whole, whole.record

        return self._write(id, finish)

    def _write[T](self, id: str, verb: Callable[[Whole], tuple[Whole, T]]) -> T:
        """Read, apply and write under the lock of the id; what is unchanged is not written."""
        self._require_durable()
        name = folder.file_name(id)
        try:
            with self._folder.locked(id) as at:
                was = _whole(folder.read(at, name), id)
                now, reply = verb(was)
                if now is not was and now != was:
                    saving.replace(at, id, now.text())
                return reply
        except FileNotFoundError:
            raise errors.ProcessNotFound from None

    def _loaded(self, id: str) -> Whole:
        self._require_durable()
        try:
            return _whole(self._folder.read(folder.file_name(id)), id)
        except FileNotFoundError:
            raise errors.ProcessNotFound from None

    def _require_durable(self) -> None:
        if not self.is_durable:
            raise errors.PersistenceDisabled


def _whole(found: folder.Found, id: str) -> Whole:
    whole = load(found.text)
    if whole.record.id != id:
        raise errors.CorruptRecord("The file is not named after its id.", pointer="/id")
    return whole


def _require_asked(record: ProcessRecord, answer: str | None) -> None:
    """An answer is for a question that waits; the same answer again is a replay."""
    if answer is None:
        return
    if record.state is State.RUNNING:
        if record.principal_answer != answer:
            raise errors.AlreadyAnswered
    elif not rules.asks(record):
        raise errors.NothingAsked
