"""Attempts over REST: said before a call that must not run twice."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from processes import services
from processes.api import replies
from processes.api.endpoint import Endpoint, actor, etag, respond
from processes.api.once import Reply
from processes.journal.commands import BeginAttempt


class Attempts(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, BeginAttempt, lambda said: _reply(services.begin(process_id, said, by=by))
        )


def _reply(begun: services.Begun) -> Reply:
    step = None if begun.step is None else replies.step(begun.step, skipped=True)
    return Reply({"revision": begun.revision, "step": step}, headers=etag(begun.revision))
