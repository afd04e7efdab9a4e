"""What a DAL host is told over HTTP: a task or a message, kept only when it says so (S0:61)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalhc.clock import now_ms
from processes.journal import errors
from processes.journal.commands import OpenProcess
from processes.journal.record import TERMINAL
from processes.journal.rules import Change
from processes.journal.tasks import MessageBody, TaskBody
from processes.services.actors import Actor, Forbidden, require, require_writer
from processes.services.runs import open_process
from processes.services.verb import Unchanged, Verb, tell
from processes.store import ids, rows


@dataclass(frozen=True, slots=True)
class Told:
    """`process_id` is None when nothing was kept."""

    id: str
    process_id: str | None


@Verb
def take_task(task: TaskBody, *, by: Actor) -> Told:
    """Open or link a process and leave the task with it, for a runtime to find; without
    `process_id` and `durable` nothing is kept (contract F11-F14).

    Raises ProcessExists, ProcessTerminal, OwnedByFiles, PersistenceDisabled.
    """
    id = task.task_id or ids.mint("task")
    return _kept(task, task.description, "task", {**task.model_dump(), "task_id": id}, id, by)


@Verb
def take_message(message: MessageBody, *, by: Actor) -> Told:
    """As `take_task`, for words that are not a task."""
    id, objective = ids.mint("msg"), message.objective or message.content
    return _kept(message, objective, "message", message.model_dump(), id, by)


def _kept(
    body: TaskBody | MessageBody,
    objective: str,
    kind: str,
    data: dict[str, Any],
    id: str,
    by: Actor,
) -> Told:
    require(by, "journal")
    if not body.is_durable:
        raise Unchanged(Told(id, None))
    require_writer(by)
    if by.agent is None:
        raise Forbidden("Only a runtime's key opens a process: it binds it to its agent.")
    process_id = _linked(body.process_id, by)
    if process_id is None:
        command = OpenProcess(objective=objective, id=body.process_id)
        process_id = open_process(command, by=by).process_id
    row, told = rows.lock(process_id, by), {k: v for k, v in data.items() if v is not None}
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    rows.keep(row, Change(row.head), kind, str(by), told, now_ms())
    tell(process_id)
    return Told(id, process_id)


def _linked(process_id: str | None, by: Actor) -> str | None:
    """The process of this id if it is there and the caller's."""
    if process_id is None:
        return None
    try:
        return rows.read(process_id, by).head.id
    except errors.ProcessNotFound:
        return None
