"""What every request gets: an id, and for the API none of the machinery of pages."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from dalhc.http.problem_json import MEDIA, headers, rendered
from dalhc.http.problems import Internal, MethodNotAllowed, NotFound
from dalhc.http.status import status_of
from dalhc.problems import Problem

type Respond = Callable[[HttpRequest], HttpResponse]

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


def new_request_id(given: str | None = None) -> str:
    """The caller's id when it is a plain word, else one of ours; it names the request in the
    log.
    """
    return given if given and _ID.fullmatch(given) else f"req_{secrets.token_hex(8)}"


_PLAIN: dict[int, type[Problem]] = {404: NotFound, 405: MethodNotAllowed}


class RequestIdMiddleware:
    """`request.request_id`, and X-Request-Id on the way out."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = new_request_id(request.headers.get("X-Request-Id"))  # type: ignore[attr-defined]
        response = self.respond(request)
        response["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
        return response


class ApiMiddleware:
    """Under /api no failure is HTML: what Django itself refuses becomes problem JSON (api.md).
    And no cache keeps what a key was shown (T25).
    """

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.respond(request)
        is_html = response.get("Content-Type", "").startswith("text/html")
        if is_api(request.path) and response.status_code >= 400 and is_html:
            problem = _PLAIN.get(response.status_code, Internal)()
            return problem_response(problem, request, response)
        if is_api(request.path):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def is_api(path: str) -> bool:
    return path.startswith("/api/")


def problem_response(
    problem: Problem, request: HttpRequest, before: HttpResponse | None = None
) -> HttpResponse:
    """A refusal as JSON; `before` lends its Allow header."""
    request_id = getattr(request, "request_id", "")
    body = rendered(problem, request_id)
    status = before.status_code if before is not None else None
    response = HttpResponse(body, content_type=MEDIA, status=status or status_of(problem))
    for name, value in headers(problem).items():
        response[name] = value
    if before is not None and before.has_header("Allow"):
        response["Allow"] = before["Allow"]
    return response
