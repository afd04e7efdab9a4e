"""What a person is typing about a suspension, and what was answered when something like it was
asked before: for a person's program, the same as on the page.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response

from dalhc.http.problems import InvalidRequest
from processes import services
from processes.api import query
from processes.api.endpoint import Endpoint, actor, bare, respond, send
from processes.api.once import Reply
from processes.api.operations import OPERATIONS, Operation
from processes.api.replies import when
from processes.journal import errors
from processes.journal.drafting import SaveDraft
from processes.services import Actor


class DraftReply(BaseModel):
    """What stands in the form of one action, as it was typed last."""

    action: str
    content: dict[str, list[str]]
    typed_at_ms: int
    saved_at: str


class DraftsReply(BaseModel):
    """One's own, the oldest first."""

    results: list[DraftReply]


class PastReply(BaseModel):
    """`state` is how its process stands today."""

    suspension_id: str
    process_id: str
    question: str
    answer: str
    by: str
    at: str
    state: str


class PastsReply(BaseModel):
    """The most alike first."""

    results: list[PastReply]


class DraftsOf(Endpoint):
    scopes: ClassVar = {"GET": "decide", "PUT": "decide", "DELETE": "decide"}

    def get(self, request: Request, suspension_id: str) -> Response:
        query.params(request, ())
        return send(_drafts(suspension_id, actor(request)))

    def put(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(command: SaveDraft) -> Reply:
            services.save_draft(suspension_id, command, by=by)
            return _drafts(suspension_id, by)

        return respond(request, SaveDraft, make)

    def delete(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make() -> Reply:
            services.forget_draft(suspension_id, by=by)
            return _drafts(suspension_id, by)

        return bare(request, "Forgetting", make)


class PastOf(Endpoint):
    def get(self, request: Request, suspension_id: str) -> Response:
        query.params(request, ())
        by = actor(request)
        found = services.past_answers(services.suspension(suspension_id, by=by), by=by)
        return Response({"results": [_past(one) for one in found]})


def _drafts(suspension_id: str, by: Actor) -> Reply:
    found = services.drafts_of(services.suspension(suspension_id, by=by), by=by)
    results = [
        {
            "action": one.action,
            "content": json.loads(one.content),
            "typed_at_ms": one.typed_at_ms,
            "saved_at": when(one.saved_at_ms),
        }
        for one in found
    ]
    return Reply({"results": results})


def _past(one: services.PastAnswer) -> dict[str, Any]:
    names = ("suspension_id", "process_id", "question", "answer", "by", "state")
    return {name: getattr(one, name) for name in names} | {"at": when(one.at_ms)}


OPERATIONS |= {
    ("DraftsOf", "GET"): Operation(
        "list_drafts", "What you are typing about it", DraftsReply, problems=(InvalidRequest,)
    ),
    ("DraftsOf", "PUT"): Operation(
        "save_draft", "Keep what you are typing; the last keystroke wins", DraftsReply,
        SaveDraft, (errors.AlreadyAnswered, errors.PersistenceDisabled),
    ),
    ("DraftsOf", "DELETE"): Operation(
        "forget_drafts", "Forget what you have typed about it", DraftsReply,
        problems=(InvalidRequest,),
    ),
    ("PastOf", "GET"): Operation(
        "list_past_answers", "What was answered when something like it was asked", PastsReply,
        problems=(InvalidRequest,),
    ),
}  # fmt: skip
