"""Callers of the API, who check of every reply what holds for all of them."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import Resolver404, resolve
from pydantic import BaseModel

from dalhc.http.status import STATUS
from processes.api.operations import OPERATIONS, Operation
from processes.api.schema import Schema
from processes.api.shapes import ProblemReply
from processes.models import Event, IdempotentReply, Process, Step, Suspension, Turn

TOP = "/api/v1/"
JSON, PROBLEM = "application/json", "application/problem+json"
# Refusals of the address itself, before any operation is found.
OUTSIDE = {"not_found", "method_not_allowed"}


class Caller:
    """A program with a key, or without one. Bodies are JSON unless they are bytes."""

    def __init__(self, key: str | None = None) -> None:
        self.key = key
        self.http = Client(raise_request_exception=False)

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, body, **headers)

    def put(self, path: str, body: bytes, **headers: str) -> HttpResponse:
        return self.send("PUT", path, body, "application/octet-stream", **headers)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self.send("DELETE", path, **headers)

    def send(
        self, method: str, path: str, body: Any = None, kind: str = JSON, **headers: str
    ) -> HttpResponse:
        """Header names are written with underscores, as in `If_Match='"3"'`."""
        raw = body if isinstance(body, bytes) else b"" if body is None else printed(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.key is not None:
            named.setdefault("Authorization", f"Bearer {self.key}")
        path = path if path.startswith("/") else TOP + path
        reply = self.http.generic(method, path, raw, content_type=kind, headers=named)
        check(reply, method, path.partition("?")[0])
        return reply

    def open(self, **fields: Any) -> dict[str, Any]:
        """A running process, unless told otherwise."""
        body = {"objective": "Tidy the folder", "start": True} | fields
        reply = self.post("processes", body)
        assert reply.status_code == 201, reply.content
        record: dict[str, Any] = reply.json()
        return record

    def ask(self, process_id: str, **fields: Any) -> dict[str, Any]:
        """A suspension of a running process; a question unless told otherwise."""
        body = (
            fields if "reason" in fields else {"reason": "ask_user", "question": "?"} | fields
        )
        reply = self.post(f"processes/{process_id}/suspend", body)
        assert reply.status_code == 200, reply.content
        stop: dict[str, Any] = reply.json()["suspension"]
        return stop

    def decide(
        self, stop: dict[str, Any], action: str = "answer", **fields: Any
    ) -> HttpResponse:
        body = {"action": action, "review_digest": stop["review_digest"]} | fields
        return self.post(f"suspensions/{stop['id']}/decision", body)


def step(n: int = 1, **fields: Any) -> dict[str, Any]:
    return {"tool": "run", "args": {"n": n}, "success": True} | fields


def printed(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def code(reply: HttpResponse) -> tuple[int, str]:
    """The status and the code of a refusal."""
    return reply.status_code, reply.json()["code"]


def everything() -> dict[str, list[dict[str, Any]]]:
    """All that is kept, to compare before and after. Counts of skips stand beside it."""
    models = (Process, Step, Turn, Event, Suspension, IdempotentReply)
    found = {model.__name__: list(model.objects.order_by("pk").values()) for model in models}
    for row in found["Step"]:
        row.pop("skips")
    for row in found["Process"]:
        row.pop("skipped")
    return found


def check(reply: HttpResponse, method: str, path: str) -> None:
    """Problems are problem JSON with a documented code; replies are what OpenAPI says."""
    assert reply["X-Request-Id"]
    found = operation(method, path)
    if reply.status_code >= 400:
        _check_problem(reply, method, path, found)
    elif found is not None and reply.get("Content-Type") == JSON:
        assert reply.status_code in found.statuses
        assert not isinstance(found.reply, str)
        if found.id != "get_journal":
            assert exactly(found.reply, reply.json()) == reply.json()


def exactly(model: type[BaseModel], body: Any) -> Any:
    """The body read by its model and written again: equal when nothing is unknown to it."""
    return model.model_validate_json(json.dumps(body)).model_dump(
        mode="json", exclude_unset=True
    )


def operation(method: str, path: str) -> Operation | None:
    try:
        view = resolve(path).func.view_class.__name__
    except (Resolver404, AttributeError):
        return None
    return OPERATIONS.get((view, method))


def _check_problem(
    reply: HttpResponse, method: str, path: str, found: Operation | None
) -> None:
    assert reply["Content-Type"] == PROBLEM
    assert "no-store" in reply["Cache-Control"]
    if method == "HEAD":
        return
    problem = ProblemReply.model_validate_json(reply.content)
    assert exactly(ProblemReply, reply.json()) == reply.json()
    assert STATUS[problem.code] == problem.status == reply.status_code
    assert problem.error == problem.title
    assert problem.request_id == reply["X-Request-Id"]
    assert problem.type == f"urn:dalhc:problem:{problem.code}"
    if found is not None:
        assert problem.code in _documented(found, method, path) | OUTSIDE


def _documented(found: Operation, method: str, path: str) -> set[str]:
    schema = Schema()
    view = resolve(path).func.view_class
    schema.view, schema.method = view(), method
    schema.path = "{" if resolve(path).kwargs else ""
    return {problem.code for problem in schema.problems()}
