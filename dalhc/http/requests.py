"""What every request gets: an id, and for the API none of the machinery of pages."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from itertools import count

from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.urls import Resolver404, resolve

from dalhc.db.refusals import refusal
from dalhc.http.problem_json import MEDIA, headers, rendered
from dalhc.http.problems import Internal, NotFound
from dalhc.http.status import status_of
from dalhc.problems import Problem

log = logging.getLogger("dalhc.http")

type Respond = Callable[[HttpRequest], HttpResponse]

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

# Unique without asking the system for chance each time: the start of this process, and a count.
_START, _numbers = secrets.token_hex(4), count(1)


def new_request_id(given: str | None = None) -> str:
    """The caller's id when it is a plain word, else one of ours; it names the request in the
    log.
    """
    return given if given and _ID.fullmatch(given) else f"req_{_START}{next(_numbers):08x}"


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
    """A request for the API goes straight to its endpoint: no session, no CSRF token, no nonce,
    none of the machinery of pages, which costs more than the endpoint. No failure there is
    HTML, and no cache keeps what a key was shown (T25).
    """

    def __init__(self, respond: Respond) -> None:
        self.respond = respond

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_api(request.path_info):
            return self.respond(request)
        response = _answer(request)
        for name, value in API_HEADERS.items():
            response.headers.setdefault(name, value)
        return response


# What the front says on its own answers too.
API_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


def _answer(request: HttpRequest) -> HttpResponse:
    """What the endpoint says; it meets its own errors, so only a
    missing address is met here.
    """
    try:
        found = request.resolver_match = resolve(request.path_info)
        response: HttpResponse = found.func(request, *found.args, **found.kwargs)
    except Resolver404:
        return problem_response(NotFound(), request)
    except Exception as error:
        log.exception("%s failed", request.path, extra={"request": request})
        return problem_response(refusal(error) or Internal(), request)
    return response.render() if isinstance(response, SimpleTemplateResponse) else response


HOST = frozenset({"/task", "/message", "/status", "/health"})  # of a DAL agent host


def is_api(path: str) -> bool:
    return path.startswith("/api/") or path in HOST


def problem_response(problem: Problem, request: HttpRequest) -> HttpResponse:
    """A refusal as JSON."""
    body = rendered(problem, getattr(request, "request_id", ""))
    response = HttpResponse(body, content_type=MEDIA, status=status_of(problem))
    for name, value in headers(problem).items():
        response[name] = value
    return response
