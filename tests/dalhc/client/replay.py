"""A server of prepared replies, which keeps what the client sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from dalhc.client import Client

KEY = "dalhc_abcd1234_a-very-secret-part"
HEAD = {
    "schema_version": 1,
    "id": "p1",
    "objective": "Tidy up",
    "state": "running",
    "created_at_ms": 1,
    "updated_at_ms": 2,
    "field_of_a_newer_server": {"any": "thing"},
}
STEP = {
    "tool": "run",
    "args": "{}",
    "success": True,
    "result_digest": "done",
    "idempotency_key": "0" * 64,
    "seq": 1,
}
SUSPENSION = {"id": "s1", "process_id": "p1", "reason": "ask_user", "status": "open"}

type Prepared = httpx2.Response | Exception | Callable[[httpx2.Request], httpx2.Response]


def reply(body: Any, status: int = 200) -> httpx2.Response:
    return httpx2.Response(status, json=body)


def problem(status: int, code: str, **fields: Any) -> httpx2.Response:
    body = {"title": code.capitalize(), "status": status, "code": code} | fields
    headers = {"Content-Type": "application/problem+json"}
    return httpx2.Response(status, content=json.dumps(body).encode(), headers=headers)


@dataclass
class Server:
    """Answers with the prepared replies in turn, the last one for ever."""

    prepared: list[Prepared]
    requests: list[httpx2.Request] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.prepared[min(len(self.requests), len(self.prepared)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            return answer(request)
        return httpx2.Response(
            answer.status_code, content=answer.content, headers=answer.headers
        )

    @property
    def last(self) -> httpx2.Request:
        return self.requests[-1]

    def body(self) -> Any:
        return json.loads(self.last.content)

    def client(self, patience: float = 5.0) -> Client:
        return Client(
            "http://127.0.0.1:8000",
            KEY,
            patience=patience,
            transport=httpx2.MockTransport(self),
        )


def server(*prepared: Prepared) -> Server:
    return Server([*prepared])
