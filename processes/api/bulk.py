"""Several suspensions decided at once, for a person's program."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from processes import services
from processes.api.endpoint import Endpoint, actor, respond
from processes.api.once import Reply
from processes.journal.bulk import Bulk


class BulkDecision(Endpoint):
    """200 also when some were left as they are: each says so itself."""

    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request) -> Response:
        by = actor(request)

        def make(command: Bulk) -> Reply:
            found = services.decide_many(command, by=by)
            done = sum(one.problem is None for one in found)
            return Reply({"done": done, "results": [_outcome(one) for one in found]})

        return respond(request, Bulk, make)


def _outcome(one: services.Outcome) -> dict[str, Any]:
    problem = one.problem
    return {
        "id": one.id,
        "done": problem is None,
        "code": problem.code if problem else None,
        "detail": problem.detail if problem else None,
    }
