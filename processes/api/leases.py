"""Leases over REST."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from processes import services
from processes.api import replies
from processes.api.endpoint import Endpoint, actor, etag, respond
from processes.api.once import Reply
from processes.journal.commands import HoldLease, TakeLease


class Lease(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, TakeLease, lambda asked: _reply(services.lease(process_id, asked, by=by))
        )


class Heartbeat(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, HoldLease, lambda held: _reply(services.heartbeat(process_id, held, by=by))
        )


class Release(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, HoldLease, lambda held: _reply(services.release(process_id, held, by=by))
        )


def _reply(row: services.Row) -> Reply:
    return Reply(replies.lease(row), headers=etag(row.host.revision))
