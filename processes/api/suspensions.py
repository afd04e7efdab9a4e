"""The inbox over REST, for a person's program: list, look, decide, take back; and a runtime's
receipt.
"""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from processes import services
from processes.api import query, replies
from processes.api.cursor import Keyset, page
from processes.api.endpoint import Endpoint, actor, bare, etag, respond, send
from processes.api.once import Reply
from processes.journal.commands import Choice, Nack
from processes.journal.record import INBOX_REASONS
from processes.models import Suspension
from processes.models.suspension import STATUSES, SuspensionQuery

_IN_ORDER = Keyset("rank", "id", descending=False)
_FILTERS = ("reason", "process_id", "status", "agent", "mine", "snoozed")


class Suspensions(Endpoint):
    """Expiring first, then oldest. `status` is `open` unless another is asked for; what is
    snoozed is only in the list of snoozed ones.
    """

    def get(self, request: Request) -> Response:
        values = query.params(request, (*_FILTERS, "limit", "cursor", "count"))
        filters = {name: values[name] for name in _FILTERS if name in values}
        by = actor(request)
        rows = Suspension.objects.visible_to(by.agent).select_related("process")
        rows = _standing(rows, filters)
        if reason := query.one_of(filters, "reason", INBOX_REASONS):
            rows = rows.for_reason(reason)
        if "process_id" in filters:
            rows = rows.of(filters["process_id"])
        if "agent" in filters:
            rows = rows.filter(agent=filters["agent"])
        if query.flag(filters, "mine"):
            rows = rows.mine(by.name, by.groups)
        count = query.flag(values, "count") is True
        return page(
            request, rows, _IN_ORDER, filters, lambda one: replies.suspension(one, by),
            query.limit(values), count=count,
        )  # fmt: skip


def _standing(rows: SuspensionQuery, filters: dict[str, str]) -> SuspensionQuery:
    status = query.one_of(filters, "status", STATUSES) or "open"
    snoozed = query.flag(filters, "snoozed")
    if status != "open":
        return rows.filter(status=status)
    return rows.snoozed() if snoozed else rows.waiting()


class OneSuspension(Endpoint):
    def get(self, request: Request, suspension_id: str) -> Response:
        query.params(request, ())
        by = actor(request)
        reply = suspension_reply(services.suspension(suspension_id, by=by), by)
        return send(reply)


class DecisionOf(Endpoint):
    scopes: ClassVar = {"POST": "decide", "DELETE": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(choice: Choice) -> Reply:
            services.try_answer(suspension_id, choice, by=by)
            return suspension_reply(services.decide(suspension_id, choice, by=by), by)

        return respond(request, Choice, make)

    def delete(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make() -> Reply:
            return suspension_reply(services.take_back(suspension_id, by=by), by)

        return bare(request, "Taking back", make)


class Ack(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make() -> Reply:
            return suspension_reply(services.ack(suspension_id, by=by), by)

        return bare(request, "A receipt", make)


class RingOf(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make() -> Reply:
            return suspension_reply(services.ring(suspension_id, by=by), by)

        return bare(request, "Ringing", make)


class NackOf(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, suspension_id: str) -> Response:
        by = actor(request)

        def make(said: Nack) -> Reply:
            return suspension_reply(services.nack(suspension_id, said, by=by), by)

        return respond(request, Nack, make)


def suspension_reply(stop: Suspension, by: services.Actor) -> Reply:
    """The suspension as `by` may see it, tagged with the revision of its process."""
    body = replies.suspension(stop, by)
    return Reply(body, headers=etag(body["revision"]))
