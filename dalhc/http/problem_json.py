"""A problem as RFC 9457 JSON (api.md conventions). `error`
repeats the title for DAL clients.
"""

from __future__ import annotations

import json
from typing import Any

from dalhc import metrics
from dalhc.http.logs import hide_keys
from dalhc.http.status import status_of
from dalhc.problems import Problem

MEDIA = "application/problem+json"


def document(problem: Problem, request_id: str) -> dict[str, Any]:
    """The body of a refusal: never a stack, never a secret."""
    body: dict[str, Any] = {
        "type": f"urn:dalhc:problem:{problem.code}",
        "title": problem.title,
        "status": status_of(problem),
        "detail": problem.detail,
        "code": problem.code,
        "error": problem.title,
        "request_id": request_id,
    }
    if problem.errors:
        body["errors"] = list(problem.errors)
    if problem.current is not None:
        body["current"] = problem.current
    return body


def rendered(problem: Problem, request_id: str) -> bytes:
    metrics.refused(problem.code)
    text = json.dumps(document(problem, request_id), ensure_ascii=False, default=str)
    return hide_keys(text).encode()  # a pointer names what was sent, and that may be a key


def headers(problem: Problem) -> dict[str, str]:
    """Retry-After where waiting helps, WWW-Authenticate where a key is missing."""
    found = {"Cache-Control": "no-store"}
    if problem.retry_after is not None or status_of(problem) in {429, 503}:
        found["Retry-After"] = str(problem.retry_after or 1)
    if status_of(problem) == 401:
        found["WWW-Authenticate"] = 'Bearer realm="dalhc"'
    return found
