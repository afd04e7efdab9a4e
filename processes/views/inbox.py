"""The inbox, and what has changed since it was shown."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest
from processes.models import Process, Suspension
from processes.shown import changes, reasons, waiting
from processes.shown.place import Place


@require_safe
def inbox(request: HtmxRequest) -> HttpResponse:
    """What waits, the oldest on top; `?reason=` narrows it, `?after=` and `?before=` turn the
    page.
    """
    page = waiting.page(_reason(request), Place.of(request.GET), now_ms())
    context = {"inbox": page, "empty": None if page.rows else _nothing(page)}
    return render(request, "processes/inbox.html", context)


@require_safe
def since(request: HtmxRequest, marker: str) -> HttpResponse:
    """204 while the page is as it was; else the counts, who has gone and what is new."""
    reason, place = _reason(request), Place.of(request.GET)
    tally, now = waiting.count(reason, place)
    if now == marker:
        return HttpResponse(status=204)
    if marker.endswith("-0"):  # it was empty: nothing to push, nothing to disturb
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    until = request.GET.get("until", "")[:48]
    found = changes.since(tally, now, reason, place, until)
    return render(request, "processes/inbox.html#changes", {"changes": found})


def _reason(request: HtmxRequest) -> str:
    """An unknown one is no filter."""
    asked = request.GET.get("reason", "")
    return asked if asked in set(reasons.ORDER) else ""


def _nothing(page: waiting.Inbox) -> dict[str, object]:
    """One true fact for an empty desk."""
    last = Suspension.objects.newest_first().values_list("opened_at_ms", flat=True).first()
    running = Process.objects.running().order_by().values("pk")[: waiting.MOST + 1].count()
    return {
        "said": reasons.NOBODY.get(page.reason, "Nothing needs you"),  # type: ignore[call-overload]
        "running": waiting.bounded(running),
        "last": last,
    }
