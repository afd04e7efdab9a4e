"""Replies and refusals of the API: JSON out, one place where every error is met."""

from __future__ import annotations

import json
import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dalhc.db.refusals import refusal
from dalhc.http import problems
from dalhc.http.requests import problem_response
from dalhc.problems import Problem

log = logging.getLogger("dalhc.api")


class JSONRenderer(BaseRenderer):
    """Compact JSON, UTF-8 unescaped, digits as they are."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None
    ) -> bytes:
        return (
            b""
            if data is None
            else json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        )


_BYTES = "application/octet-stream"


def _is_ours(media: str) -> bool:
    """A media range that JSON, or an artifact's bytes, satisfy."""
    return media in {"", "*/*", "application/*", _BYTES} or media.endswith("json")


class OnlyJSON(BaseContentNegotiation):
    """One renderer; a client that insists on something else is told so (T9)."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return None

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: Any = None
    ) -> Any:
        ranges = request.META.get("HTTP_ACCEPT", "").lower().split(",")
        if not any(_is_ours(part.partition(";")[0].strip()) for part in ranges):
            raise problems.NotAcceptable
        return renderers[0], renderers[0].media_type


def refused(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """Any failure of an endpoint as problem JSON; what we did not foresee is logged and said
    as `internal`.
    """
    request = context["request"]._request
    problem = as_problem(error)
    if isinstance(problem, problems.Internal):
        log.error("%s failed", request.path, exc_info=error, extra={"request": request})
    response = problem_response(problem, request)
    if isinstance(error, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def as_problem(error: Exception) -> Problem:
    match error:
        case Problem():
            return error
        case Http404():
            return problems.NotFound()
        case exceptions.MethodNotAllowed():
            return problems.MethodNotAllowed()
        case RequestDataTooBig():
            return problems.TooLarge()
        case SuspiciousOperation():
            return problems.InvalidRequest()
        case _:
            return refusal(error) or problems.Internal()
