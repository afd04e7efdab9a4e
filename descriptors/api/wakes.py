"""Signals and claims over REST; a claim that waits is answered in dalhc.front."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from descriptors import services
from descriptors.api import replies
from descriptors.contract.commands import ClaimWakes, Signal
from processes.api import query
from processes.api.endpoint import Endpoint, actor, respond
from processes.api.once import Reply


class Signals(Endpoint):
    scopes: ClassVar = {"POST": "wake"}

    def post(self, request: Request) -> Response:
        by = actor(request)
        return respond(
            request, Signal, lambda said: Reply(replies.signal(services.signal(said, by=by)))
        )


class Claims(Endpoint):
    """At once, with whatever is due. Waiting needs the server's front; without it the reply
    says when to ask again.
    """

    scopes: ClassVar = {"POST": "wake"}

    def post(self, request: Request) -> Response:
        query.wait_seconds(query.params(request, ("wait",)), "")
        by = actor(request)
        return respond(
            request,
            ClaimWakes,
            lambda asked: Reply(replies.wakes(services.claim(asked, by=by))),
        )
