"""The inbox, and what has changed since it was shown."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest
from processes import services
from processes.models import Process, Suspension
from processes.shown import changes, reasons, waiting
from processes.shown.filters import Filters
from processes.shown.place import Place


@require_safe
def inbox(request: HtmxRequest) -> HttpResponse:
    """What waits, expiring first, then the oldest; `?reason=`, `?whose=` and `?agent=` narrow
    it, `?after=` and `?before=` turn the page.
    """
    page = waiting.page(filters_of(request), Place.of(request.GET), now_ms())
    context = {"inbox": page, "empty": None if page.rows else _nothing(page)}
    return render(request, "processes/inbox.html", context)


@require_safe
def since(request: HtmxRequest, marker: str) -> HttpResponse:
    """204 while the page is as it was; else the counts, who has gone and what is new."""
    filters, place = filters_of(request), Place.of(request.GET)
    tally, now = waiting.count(filters, place)
    if now == marker:
        return HttpResponse(status=204)
    if marker.endswith("-0"):  # it was empty: nothing to push, nothing to disturb
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    until = request.GET.get("until", "")[:48]
    found = changes.since(tally, now, filters, place, until)
    return render(request, "processes/inbox.html#changes", {"changes": found})


def filters_of(request: HtmxRequest) -> Filters:
    """Whose groups count is read only when someone asks for what is theirs."""
    mine = request.GET.get("whose") == "mine"
    groups = services.person(request.user).groups if mine else frozenset[str]()
    return Filters.of(request.GET, request.user.get_username(), groups)


def _nothing(page: waiting.Inbox) -> dict[str, object]:
    """One true fact for an empty desk."""
    last = Suspension.objects.newest_first().values_list("opened_at_ms", flat=True).first()
    running = Process.objects.running().order_by().values("pk")[: waiting.MOST + 1].count()
    return {
        "said": _said(page.filters),
        "running": waiting.bounded(running),
        "last": last,
    }


def _said(filters: Filters) -> str:
    """What an empty list means."""
    if filters.is_plain:
        nobody: dict[str, str] = {str(each): words for each, words in reasons.NOBODY.items()}
        return nobody.get(filters.reason, "Nothing needs you")
    return {
        "mine": "Nothing is yours",
        "free": "Someone is on everything",
        "snoozed": "Nothing is put off",
    }.get(filters.whose, "Nothing waits here")
