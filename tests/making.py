"""Small builders: who acts, and processes in the state a test wants, made by the services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from processes import services
from processes.journal.commands import (
    AppendStep,
    Choice,
    Complete,
    Fail,
    OpenProcess,
    Resume,
    Suspend,
)
from processes.journal.record import ProcessRecord
from processes.journal.tasks import MessageBody, TaskBody
from processes.models import Event, Process, Suspension
from processes.services import Actor, tasks
from processes.store import rows

AGENT = "tidier"


def runtime_actor(agent: str = AGENT) -> Actor:
    return Actor("runtime", agent, agent=agent, scopes=frozenset({"journal", "read", "wake"}))


def principal_actor(name: str = "mia") -> Actor:
    return Actor("principal", name, scopes=frozenset({"read", "decide"}))


def reviewer_actor(name: str = "rob") -> Actor:
    return Actor("principal", name, scopes=frozenset({"read"}))


def admin_actor(name: str = "ada") -> Actor:
    return Actor("principal", name, scopes=frozenset({"read", "admin"}))


@dataclass(frozen=True)
class Made:
    """A process as a test made it; everything is read anew from the database."""

    id: str
    suspension_id: str = ""
    agent: str = AGENT

    @property
    def record(self) -> ProcessRecord:
        return services.record(self.id, by=principal_actor())

    @property
    def row(self) -> rows.Row:
        return rows.read_any(self.id)

    @property
    def columns(self) -> dict[str, Any]:
        """Every column of the process row."""
        return Process.objects.filter(id=self.id).values().get()

    @property
    def stop(self) -> Suspension:
        return Suspension.objects.get(id=self.suspension_id)

    @property
    def kinds(self) -> list[str]:
        """What happened, in order."""
        return list(Event.objects.of(self.id).order_by("seq").values_list("kind", flat=True))

    @property
    def by(self) -> Actor:
        """The runtime it belongs to."""
        return runtime_actor(self.agent)


def make_process(
    *,
    question: str | None = None,
    reason: str = "",
    steps: int = 0,
    running: bool = False,
    ended: str = "",
    agent: str = AGENT,
    objective: str = "Tidy the folder",
    id: str | None = None,
    metadata: dict[str, str] | None = None,
    **suspension: Any,
) -> Made:
    """Suspended and not started, unless told more.

    `question` or `reason` suspend it (a question alone asks the principal), `running` starts
    it, `steps` are taken first, `ended` is completed or failed. Other names are Suspend's:
    detail, hold, options, proposed_action, ask_key.
    """
    by = runtime_actor(agent)
    start = bool(running or steps or question or reason or ended)
    command = OpenProcess(objective=objective, id=id, start=start, **(metadata or {}))
    made = Made(services.open_process(command, by=by).process_id, agent=agent)
    for number in range(1, steps + 1):
        append(made, args={"n": number})
    if ended == "completed":
        services.complete(made.id, Complete(), by=by)
    if ended == "failed":
        services.fail(made.id, Fail(), by=by)
    if question or reason:
        made = suspend(made, reason=reason or "ask_user", question=question, **suspension)
    return made


def append(made: Made, tool: str = "run", **step: Any) -> services.Appended:
    """One step; a success unless told otherwise."""
    command = AppendStep.model_validate({"tool": tool, "args": {}, "success": True} | step)
    return services.append(made.id, [command], by=made.by).results[0]


def suspend(made: Made, reason: str = "ask_user", **command: Any) -> Made:
    stop = services.suspend(
        made.id, Suspend.model_validate({"reason": reason} | command), by=made.by
    )
    return Made(made.id, stop.id, made.agent)


def choice(made: Made, action: str = "answer", **content: Any) -> Choice:
    """A choice that carries the digest of what stands there now."""
    return Choice(action=action, review_digest=services.review_digest(made.stop), **content)


def decide(
    made: Made, action: str = "answer", by: Actor | None = None, **content: Any
) -> Suspension:
    """A person decides; `answer`, `note` or `args` as the action needs."""
    return services.decide(
        made.suspension_id, choice(made, action, **content), by=by or principal_actor()
    )


def resume(made: Made, lease_epoch: int | None = None) -> services.Resumed:
    return services.resume(made.id, Resume(lease_epoch=lease_epoch), by=made.by)


def say(made: Made) -> None:
    """What a DAL host is told about a process, kept with it: a task and a message."""
    task = TaskBody(description="Tidy", process_id=made.id)
    tasks.take_task(task, by=made.by)
    message = MessageBody(sender_id="desk", content="Go on", process_id=made.id)
    tasks.take_message(message, by=made.by)
