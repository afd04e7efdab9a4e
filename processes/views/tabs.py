"""Behind the ledger: artifacts, turns, events, and the exact record."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from dalhc.http.attachments import attachment
from dalhc.http.pages import HtmxRequest
from dalhc.http.streams import download
from processes import services
from processes.models import Artifact, Event, Turn
from processes.shown.passport import page
from processes.shown.words import name_of
from processes.views.process import find, number, shown

LENGTH = 50
ARTIFACTS = 200
STEPS_SHOWN_RAW = 300  # longer records are for the download


@require_safe
def artifacts(request: HtmxRequest, process_id: str) -> HttpResponse:
    """By name, 200 at a time."""
    found, after = find(process_id), request.GET.get("after", "")
    rows = Artifact.objects.filter(process_id=process_id, path__gt=after).order_by("path")
    listed = list(rows[: ARTIFACTS + 1])
    more = listed[ARTIFACTS - 1].path if len(listed) > ARTIFACTS else ""
    return shown(request, found, _tab("artifacts", listed[:ARTIFACTS], more))


@require_safe
def turns(request: HtmxRequest, process_id: str) -> HttpResponse:
    """The conversation, newest first."""
    found, before = find(process_id), number(request, "before")
    rows = Turn.objects.filter(process_id=process_id).order_by("-seq")
    listed = list((rows.filter(seq__lt=before) if before else rows)[: LENGTH + 1])
    for turn in listed:
        turn.by = name_of(turn.by)
    return shown(request, found, _tab("turns", listed[:LENGTH], _older(listed)))


@require_safe
def events(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Every write, newest first."""
    found, before = find(process_id), number(request, "before")
    rows = Event.objects.of(process_id).order_by("-seq")
    listed = list((rows.filter(seq__lt=before) if before is not None else rows)[: LENGTH + 1])
    return shown(request, found, _tab("events", listed[:LENGTH], _older(listed)))


@require_safe
def raw(request: HtmxRequest, process_id: str) -> HttpResponse:
    """The exact journal file; a long one is only downloaded."""
    found = find(process_id)
    is_short = found.stored_steps <= STEPS_SHOWN_RAW
    text = services.journal_text(process_id, services.person(request.user)) if is_short else ""
    return shown(request, found, {"tab": "raw", "text": text})


@require_safe
def journal(request: HtmxRequest, process_id: str) -> StreamingHttpResponse:
    """The journal file as a download."""
    told = services.journal(process_id, by=services.person(request.user))
    return download(told, "application/json", f"{process_id}.json")


@require_safe
def passport(request: HtmxRequest, process_id: str) -> StreamingHttpResponse:
    """Everything of it in one page, as a download."""
    found = services.passport(process_id, by=services.person(request.user))
    return download(page(found), "text/html; charset=utf-8", f"{process_id}.html")


@require_safe
def artifact(request: HtmxRequest, process_id: str, path: str) -> FileResponse:
    """The bytes, never inline (T15)."""
    by = services.person(request.user)
    file, found = services.open_artifact(process_id, path, by)
    return attachment(file, found.path, found.size, found.sha256)


def _older(listed: list[Any]) -> int | None:
    return listed[LENGTH - 1].seq if len(listed) > LENGTH else None


def _tab(name: str, rows: list[Any], more: int | str | None) -> dict[str, Any]:
    return {"tab": name, "rows": rows, "more": more}
