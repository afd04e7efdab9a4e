"""The addresses of a DAL agent host, for programs that speak to one: at the root, same keys."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from dalhc.http.problems import InvalidRequest
from processes.api import query, shapes
from processes.api.endpoint import Endpoint, actor, respond
from processes.api.once import Reply
from processes.api.operations import OPERATIONS, Operation
from processes.journal import errors
from processes.journal.tasks import MessageBody, TaskBody
from processes.models import Process
from processes.services import tasks

NOT_KEPT = "Nothing was kept: send a process_id, or durable: true."
MOST = 999  # counts end there


class Task(Endpoint):
    """Opens or links a process, which waits for a runtime to start it."""

    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request) -> Response:
        by = actor(request)

        def make(task: TaskBody) -> Reply:
            told = tasks.take_task(task, by=by)
            return Reply(_kept(told) | {"task_id": told.id})

        return respond(request, TaskBody, make)


class Message(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request) -> Response:
        by = actor(request)

        def make(message: MessageBody) -> Reply:
            return Reply(_kept(tasks.take_message(message, by=by)))

        return respond(request, MessageBody, make)


class HostStatus(Endpoint):
    """Whose key it is and how its processes stand. Reading takes nothing away."""

    def get(self, request: Request) -> Response:
        query.params(request, ())
        by = actor(request)
        rows = Process.objects.visible_to(by.agent)
        states = {
            "opened": rows.not_started(),
            "running": rows.running(),
            "suspended": rows.filter(state="suspended").exclude(suspend_reason="opened"),
        }
        counts = {
            name: found.order_by().values("pk")[:MOST].count() for name, found in states.items()
        }
        status = "active" if counts["running"] else "idle"
        body = {"id": by.agent or by.name, "name": by.name, "type": by.kind, "status": status}
        return Response(body | {"processes": counts})


class HostHealth(Endpoint):
    def get(self, request: Request) -> Response:
        query.params(request, ())
        return Response({"status": "ok"})


def _kept(told: tasks.Told) -> dict[str, str | bool | None]:
    detail = None if told.process_id else NOT_KEPT
    return {"ok": True, "process_id": told.process_id, "detail": detail}


_KEPT = (
    errors.ObjectiveEmpty, errors.InvalidProcessId, errors.ProcessExists,
    errors.ProcessTerminal, errors.OwnedByFiles, errors.PersistenceDisabled,
    errors.PreconditionFailed,
)  # fmt: skip

OPERATIONS |= {
    ("Task", "POST"): Operation(
        "take_task", "A DAL host's task; kept when it is durable", shapes.TaskReply, TaskBody,
        _KEPT,
    ),
    ("Message", "POST"): Operation(
        "take_message", "A DAL host's message; kept when it is durable", shapes.MessageReply,
        MessageBody, _KEPT,
    ),
    ("HostStatus", "GET"): Operation(
        "host_status", "Whose key it is, and how its processes stand", shapes.StatusReply,
        problems=(InvalidRequest,),
    ),
    ("HostHealth", "GET"): Operation(
        "host_health", "The server is up, and knows the key", shapes.HealthReply,
        problems=(InvalidRequest,),
    ),
}  # fmt: skip
