"""Descriptors over REST: sleep, read, look up, commit, give back, forget."""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import urlencode

from rest_framework.request import Request
from rest_framework.response import Response

from dalhc.http.problems import InvalidRequest
from descriptors import services
from descriptors.api import replies
from descriptors.contract import limits
from descriptors.contract.commands import Commit, GiveBack, Sleep
from descriptors.contract.cycle import Sleeper, Stage
from descriptors.contract.errors import InvalidWakeCondition, SessionIdRequired
from descriptors.contract.record import KINDS
from processes.api import query
from processes.api.endpoint import Endpoint, actor, keep, read_value, respond, send
from processes.api.once import Reply
from processes.journal import limits as journal_limits
from processes.services import Actor

_FILTERS = ("wake_kind", "key_prefix", "preset", "stage")


class Descriptors(Endpoint):
    """In the order of their ids; keys by exact prefix."""

    def get(self, request: Request) -> Response:
        values = query.params(request, (*_FILTERS, "after_session", "limit"))
        kind = query.one_of(values, "wake_kind", KINDS) or ""
        if kind == "timer" and "key_prefix" in values:
            raise InvalidWakeCondition("A timer has a time and no key to begin with.")
        most = query.limit(values)
        found = services.listed(
            by=actor(request),
            kind=kind,
            key_prefix=query.text(values, "key_prefix", limits.KEY_CHARS),
            preset=query.text(values, "preset", limits.PRESET_CHARS),
            stage=query.one_of(values, "stage", Stage) or "",
            after=query.text(values, "after_session", journal_limits.ID_CHARS),
            most=most + 1,
        )
        whole = [(one.agent, one.sleeper()) for one in found[:most]]
        shown = [replies.sleeper(agent, one) for agent, one in whole if one is not None]
        last = found[most - 1].session_id if len(found) > most else None
        return Response({"results": shown, "next": _next(request, values, last)})


def _next(request: Request, values: dict[str, str], last: str | None) -> str | None:
    if last is None:
        return None
    asked = urlencode({**values, "after_session": last})
    return request.build_absolute_uri(f"{request.path}?{asked}")


class OneDescriptor(Endpoint):
    scopes: ClassVar = {"PUT": "wake", "GET": "read", "DELETE": "wake"}

    def put(self, request: Request, session_id: str) -> Response:
        by = actor(request)

        def make(asked: Sleep) -> Reply:
            if asked.session_id != session_id:
                raise SessionIdRequired(pointer="/session_id")
            return _reply(services.sleep(asked, by=by), by)

        return respond(request, Sleep, make)

    def get(self, request: Request, session_id: str) -> Response:
        query.params(request, ())
        found = services.sleeper(session_id, by=actor(request))
        return Response(replies.sleeper(found.agent, services.whole(found)))

    def delete(self, request: Request, session_id: str) -> Response:
        raw, value = read_value(request)
        if value != {}:
            raise InvalidRequest("Forgetting needs no body.")
        by = actor(request)

        return send(keep(request, raw, lambda: _reply(services.drop(session_id, by=by), by)))


class SourceOf(Endpoint):
    """What a flush is answered with."""

    scopes: ClassVar = {"GET": "wake"}

    def get(self, request: Request, session_id: str) -> Response:
        query.params(request, ())
        found = services.source(session_id, by=actor(request))
        return Response(
            {
                "session_id": session_id,
                "source_revision": found.revision,
                "seq_watermark": found.seq,
            }
        )


class CommitOf(Endpoint):
    scopes: ClassVar = {"POST": "wake"}

    def post(self, request: Request, session_id: str) -> Response:
        by = actor(request)
        return respond(
            request, Commit, lambda said: _reply(services.commit(session_id, said, by=by), by)
        )


class GiveBackOf(Endpoint):
    scopes: ClassVar = {"POST": "wake"}

    def post(self, request: Request, session_id: str) -> Response:
        by = actor(request)
        return respond(
            request,
            GiveBack,
            lambda held: _reply(services.give_back(session_id, held, by=by), by),
        )


def _reply(found: Sleeper, by: Actor) -> Reply:
    return Reply(replies.sleeper(by.agent or "", found))
