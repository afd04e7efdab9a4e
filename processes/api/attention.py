"""Who is on a suspension, over REST: claim, release, reassign, snooze."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from processes import services
from processes.api.endpoint import Endpoint, actor, bare, respond
from processes.api.once import Reply
from processes.api.suspensions import suspension_reply
from processes.journal.attention import Claim, Reassign, Snooze


class ClaimOf(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(command: Claim) -> Reply:
            return suspension_reply(services.claim(suspension_id, command, by=by), by)

        return respond(request, Claim, make)


class ReleaseOf(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make() -> Reply:
            return suspension_reply(services.let_go(suspension_id, by=by), by)

        return bare(request, "Giving back", make)


class ReassignOf(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(command: Reassign) -> Reply:
            return suspension_reply(services.reassign(suspension_id, command, by=by), by)

        return respond(request, Reassign, make)


class SnoozeOf(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(command: Snooze) -> Reply:
            return suspension_reply(services.snooze(suspension_id, command, by=by), by)

        return respond(request, Snooze, make)
