"""What goes back: a whole reply, or the problem that is said before Django is reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalhc.front.body import Body, IncompleteBody, RequestTimeout, Scope
from dalhc.http import problem_json
from dalhc.http.problems import TooLarge
from dalhc.http.requests import API_HEADERS, is_api, new_request_id
from dalhc.http.status import status_of
from dalhc.problems import Problem

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# Whoever sent too much or too slowly is not read any further.
CLOSING = (TooLarge, RequestTimeout, IncompleteBody)


@dataclass(frozen=True)
class Reply:
    """Status, headers (lower case, latin-1) and the whole body of an answer."""

    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""

    async def send(self, scope: Scope, send: Send, body: Body) -> None:
        await send(
            {"type": "http.response.start", "status": self.status, "headers": self.headers}
        )
        content = b"" if scope["method"] == "HEAD" else self.body
        await send({"type": "http.response.body", "body": content, "more_body": False})


def refused(scope: Scope, problem: Problem) -> Reply:
    """A problem as its path speaks: problem+json under /api, plain text elsewhere."""
    given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
    request_id = new_request_id(given)
    if is_api(scope["path"]):
        kind, body = problem_json.MEDIA, problem_json.rendered(problem, request_id)
    else:
        kind, body = "text/plain; charset=utf-8", f"{problem}\n".encode()
    said = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "X-Request-Id": request_id,
        **problem_json.headers(problem),
        **API_HEADERS,
    }
    if isinstance(problem, CLOSING):
        said["Connection"] = "close"
    pairs = [(name.lower().encode(), value.encode("latin-1")) for name, value in said.items()]
    return Reply(status_of(problem), pairs, body)
