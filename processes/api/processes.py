"""Processes: open, list, read, suspend, resume, complete, fail, stop, import."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from django.urls import get_script_prefix
from rest_framework.request import Request
from rest_framework.response import Response

from dalhc import bell
from dalhc.http.streams import download
from processes import services
from processes.api import query, replies
from processes.api.body import require_few_parts, require_json
from processes.api.cursor import Keyset, page
from processes.api.endpoint import (
    Endpoint,
    actor,
    etag,
    is_unchanged,
    keep,
    raw_body,
    respond,
    send,
)
from processes.api.once import Reply
from processes.api.record import whole_record
from processes.journal import limits
from processes.journal.commands import Complete, Fail, OpenProcess, Resume, Stop, Suspend
from processes.journal.record import METADATA, Reason, State
from processes.models import Process
from processes.models.process import ProcessQuery
from processes.services.reading import read_row
from processes.shown import passport

_NEWEST = Keyset("created_at_ms", "id", descending=True)
_FILTERS = ("state", "reason", "agent", *METADATA, "held", "q", "updated_after")


class Processes(Endpoint):
    scopes: ClassVar = {"GET": "read", "POST": "journal"}

    def post(self, request: Request) -> Response:
        by = actor(request)

        def make(command: OpenProcess) -> Reply:
            return _opened(services.open_process(command, by=by), by)

        return respond(request, OpenProcess, make)

    def get(self, request: Request) -> Response:
        values = query.params(request, (*_FILTERS, "limit", "cursor", "count"))
        filters = {name: values[name] for name in _FILTERS if name in values}
        rows = _filtered(Process.objects.visible_to(actor(request).agent), filters)
        count = query.flag(values, "count") is True
        return page(
            request, rows, _NEWEST, filters, replies.process, query.limit(values), count=count
        )


def _opened(opened: services.Opened, by: services.Actor) -> Reply:
    record = whole_record(read_row(opened.process_id, by=by), None)
    place = f"{get_script_prefix()}api/v1/processes/{opened.process_id}"
    headers = {"Location": place, **etag(record["revision"])}
    return Reply(record, 201 if opened.created else 200, headers)


def _filtered(rows: ProcessQuery, filters: dict[str, str]) -> ProcessQuery:
    state = query.one_of(filters, "state", State)
    reason = query.one_of(filters, "reason", Reason)
    held = query.flag(filters, "held")
    exact = {name: filters[name] for name in ("agent", *METADATA) if name in filters}
    rows = rows.filter(**exact)
    if state:
        rows = rows.filter(state=state)
    if reason:
        rows = rows.filter(suspend_reason=reason)
    if held is not None:
        rows = (
            rows.filter(held=True, decided=False)
            if held
            else rows.exclude(held=True, decided=False)
        )
    if "updated_after" in filters:
        rows = rows.filter(
            updated_at_ms__gt=query.whole(filters, "updated_after", 0, 0, limits.TIME_MS)
        )
    if "q" in filters:
        # Found in id, objective and question of the newest 20,000: a scan, so it is bounded.
        rows = rows.matching(query.text(filters, "q", limits.NAME_CHARS), limits.SEARCHED)
    return rows


class OneProcess(Endpoint):
    def get(self, request: Request, process_id: str) -> Response:
        values = query.params(request, ("steps",))
        row = read_row(process_id, by=actor(request))
        if is_unchanged(request, row.host.revision):
            return Response(status=304, headers=etag(row.host.revision))
        return Response(whole_record(row, values.get("steps")), headers=etag(row.host.revision))


class Journal(Endpoint):
    """The exact journal file of DAL."""

    def get(self, request: Request, process_id: str) -> StreamingHttpResponse:
        query.params(request, ())
        told = services.journal(process_id, by=actor(request))
        return download(told, "application/json", f"{process_id}.json")


class Passport(Endpoint):
    """Everything of a process in one page, for people."""

    def get(self, request: Request, process_id: str) -> StreamingHttpResponse:
        query.params(request, ())
        found = services.passport(process_id, by=actor(request))
        return download(passport.page(found), "text/html; charset=utf-8", f"{process_id}.html")


class SuspendProcess(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)

        def make(command: Suspend) -> Reply:
            stop = services.suspend(process_id, command, by=by)
            row = read_row(process_id, by=by)
            body = {"record": replies.head(row), "suspension": replies.suspension(stop, by)}
            return Reply(body, headers=etag(row.host.revision))

        return respond(request, Suspend, make)


class ResumeProcess(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)

        def make(command: Resume) -> Reply:
            done = services.resume(process_id, command, by=by)
            body = {
                "result": done.result,
                "record": replies.head(done.row),
                "decision": replies.decision(done.decision),
            }
            return Reply(body, headers=etag(done.row.host.revision))

        return respond(request, Resume, make)


class CompleteProcess(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request,
            Complete,
            lambda command: _head(services.complete(process_id, command, by=by)),
        )


class FailProcess(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, Fail, lambda command: _head(services.fail(process_id, command, by=by))
        )


class StopProcess(Endpoint):
    scopes: ClassVar = {"POST": "decide"}

    def post(self, request: Request, process_id: str) -> Response:
        by = actor(request)
        return respond(
            request, Stop, lambda command: _head(services.stop(process_id, command, by=by))
        )


def _head(row: services.Row) -> Reply:
    return Reply(replies.head(row), headers=etag(row.host.revision))


class Import(Endpoint):
    scopes: ClassVar = {"POST": "journal"}

    def post(self, request: Request) -> Response:
        by, raw = actor(request), raw_body(request, limits.IMPORT_BYTES)
        require_json(request.META.get("CONTENT_TYPE", ""))
        require_few_parts(raw)
        return send(keep(request, raw, lambda: _opened(services.import_record(raw, by=by), by)))


class NextAction(Endpoint):
    """Level-triggered: answers at once unless the process waits for a person."""

    def get(self, request: Request, process_id: str) -> Response:
        values = query.params(request, ("wait",))
        wait, by = query.wait_seconds(values, request.headers.get("Prefer", "")), actor(request)
        seen = bell.mark(process_id)
        found = services.next_step(process_id, by=by)
        if wait and not found.is_settled:
            bell.wait(process_id, seen, found.wait_s(wait))
            found = services.next_step(process_id, by=by)
        body: dict[str, Any] = replies.next_step(found)
        return Response(body, headers=etag(found.revision))
