"""What every endpoint shares: the actor, the strict body, the reply kept once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dalhc.http.problems import InvalidRequest, TooLarge
from processes import services
from processes.api.body import command, read_json
from processes.api.once import Reply, once
from processes.journal import limits

_ETAG = re.compile(r'"([0-9]{1,18})"')


class Endpoint(APIView):
    """Methods parse, call one service, reply. Errors are raised and
    met in rendering.refused.
    """

    scopes: ClassVar[dict[str, str]] = {}

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """The methods, and nothing about the code behind them."""
        return Response(status=204, headers={"Allow": ", ".join(self.allowed_methods)})


def actor(request: Request) -> services.Actor:
    """Who the key acts for, with the revision an If-Match named."""
    by = expecting(request.user, request.headers.get("If-Match"))  # type: ignore[arg-type]
    return traced(by, request.headers.get("traceparent"))


def traced(by: services.Actor, traceparent: str | None) -> services.Actor:
    """The actor with its place in a trace of its own, if it has one."""
    told = services.read_trace(traceparent) if traceparent else None
    return by if told is None else dataclasses.replace(by, trace=told)


def expecting(by: services.Actor, if_match: str | None) -> services.Actor:
    """The actor with the revision of its If-Match, if there is one."""
    if if_match is None or if_match.strip() == "*":
        return by
    tag = _ETAG.fullmatch(if_match.strip())
    if tag is None:
        raise InvalidRequest('If-Match takes one strong tag, as in "14".')
    return dataclasses.replace(by, expected=int(tag[1]))


def raw_body(request: Request, most: int = limits.BODY_BYTES) -> bytes:
    """The bytes of the body, bounded. Raises TooLarge."""
    raw = request._request.read(most + 1)
    if len(raw) > most:
        raise TooLarge(f"The body has more than {most} bytes.")
    return raw


def read_value(request: Request) -> tuple[bytes, Any]:
    """The bytes, and their JSON value; an empty body stands for an empty object."""
    raw = raw_body(request)
    if not raw:
        return raw, {}
    return raw, read_json(raw, request.META.get("CONTENT_TYPE", ""))


def respond[C: BaseModel](
    request: Request, model: type[C], make: Callable[[C], Reply]
) -> Response:
    """Read the body as `model`, make the reply once per Idempotency-Key, send it."""
    raw, value = read_value(request)
    asked = command(model, value)
    return send(keep(request, raw, lambda: make(asked)))


def bare(request: Request, what: str, make: Callable[[], Reply]) -> Response:
    """The same for a verb without a body. Raises InvalidRequest: `what` needs none."""
    raw, value = read_value(request)
    if value != {}:
        raise InvalidRequest(f"{what} needs no body.")
    return send(keep(request, raw, make))


def keep(request: Request, raw: bytes, make: Callable[[], Reply]) -> Reply:
    key = request.headers.get("Idempotency-Key")
    return once(key, str(request.auth), f"{request.method} {request.path}", raw, make)


def send(reply: Reply) -> Response:
    return Response(reply.body, status=reply.status, headers=reply.headers)


def etag(revision: int) -> dict[str, str]:
    return {"ETag": f'"{revision}"'}


def is_unchanged(request: Request, revision: int) -> bool:
    """If-None-Match names this revision."""
    tags = request.headers.get("If-None-Match", "")
    return f'"{revision}"' in (tag.strip().removeprefix("W/") for tag in tags.split(","))
