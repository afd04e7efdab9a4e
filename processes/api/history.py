"""What a process did: steps, turns, events, paged by seq; a page never reads the rest
(contract M04).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from dalhc import metrics
from dalhc.http.problems import InvalidRequest
from dalhc.problems import Problem
from processes import services
from processes.api import query, replies
from processes.api.body import command as read_command
from processes.api.cursor import linked
from processes.api.endpoint import Endpoint, actor, etag, keep, read_value, send
from processes.api.once import Reply
from processes.journal import limits
from processes.journal.commands import AppendStep
from processes.models import Event, Step, Turn
from processes.services.reading import read_row

_NO_BEFORE = -1


class Steps(Endpoint):
    scopes: ClassVar = {"GET": "read", "POST": "journal"}

    def get(self, request: Request, process_id: str) -> Response:
        return _page(request, process_id, Step.objects.of(process_id), replies.stored_step)

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        raw, value = read_value(request)
        commands = step_commands(value)
        reply = keep(
            request,
            raw,
            lambda: step_reply(_appended(process_id, commands, by), isinstance(value, list)),
        )
        return send(reply)


def _appended(
    process_id: str, commands: list[AppendStep], by: services.Actor
) -> services.Batch:
    with metrics.appending():
        return services.append(process_id, commands, by=by)


def step_commands(value: Any) -> list[AppendStep]:
    """One step, or a list of 1 to 100 in the order they were taken."""
    if not isinstance(value, list):
        return [read_command(AppendStep, value)]
    if not 0 < len(value) <= limits.STEPS_PER_REQUEST:
        raise InvalidRequest(f"A list has 1 to {limits.STEPS_PER_REQUEST} steps.")
    return [_step_of_list(n, item) for n, item in enumerate(value)]


def _step_of_list(number: int, value: Any) -> AppendStep:
    """A refusal points into the list that was sent."""
    try:
        return read_command(AppendStep, value)
    except Problem as problem:
        problem.errors = tuple(
            error | {"pointer": f"/{number}{error['pointer']}"} for error in problem.errors
        )
        raise


def step_reply(batch: services.Batch, is_list: bool) -> Reply:
    """201 if anything was stored, else 200 with what is recorded."""
    stored = any(not result.skipped for result in batch.results)
    headers = (
        etag(batch.revision)
        if stored
        else {**etag(batch.revision), "Idempotent-Replayed": "true"}
    )
    status = 201 if stored else 200
    if is_list:
        results = [replies.appended(result) for result in batch.results]
        return Reply({"results": results, "revision": batch.revision}, status, headers)
    return Reply(replies.appended(batch.results[0], batch.revision), status, headers)


class Turns(Endpoint):
    def get(self, request: Request, process_id: str) -> Response:
        return _page(
            request, process_id, Turn.objects.filter(process_id=process_id), replies.turn
        )


class Events(Endpoint):
    def get(self, request: Request, process_id: str) -> Response:
        events = Event.objects.of(process_id)
        return _page(request, process_id, events, replies.event, first=_NO_BEFORE)


def _page(
    request: Request,
    process_id: str,
    rows: QuerySet[Any],
    shown: Callable[[Any], dict[str, Any]],
    first: int = 0,
) -> Response:
    values = query.params(request, ("after", "limit"))
    read_row(process_id, by=actor(request))
    after, limit = query.whole(values, "after", first, 0, 2**53), query.limit(values)
    found: list[Model] = list(rows.filter(seq__gt=after).order_by("seq")[: limit + 1])
    more, found = len(found) > limit, found[:limit]
    url = None
    if more:
        last = found[-1].seq  # type: ignore[attr-defined]
        url = request.build_absolute_uri(f"{request.path}?after={last}&limit={limit}")
    body = {"results": [shown(row) for row in found], "next": url, "previous": None}
    return linked(Response(body), {"next": url})
