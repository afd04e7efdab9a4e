"""Lists of processes: running, settled, found."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest
from dalhc.http.problems import InvalidRequest
from processes.journal import limits
from processes.journal.record import TERMINAL
from processes.models import Process
from processes.services.searching import find_processes
from processes.shown.listing import LENGTH, Lines, lines, shown
from processes.shown.place import Place


@require_safe
def running(request: HtmxRequest) -> HttpResponse:
    """Answered but not picked up, running, not started; `?only=` pages through one of them."""
    now, reader, only = now_ms(), request.user.username, request.GET.get("only", "")
    parts = {
        "decided": ("Answered, not picked up", "Every answer has been picked up."),
        "running": ("Running", "Nothing is running."),
        "opened": ("Not started", "Every process has been started."),
    }
    rows = {
        "decided": Process.objects.decided_not_picked_up(),
        "running": Process.objects.running(),
        "opened": Process.objects.not_started(),
    }
    wanted = [only] if only in parts else [*parts]
    place = Place.of(request.GET) if only in parts else None
    sections = [(name, *parts[name], lines(rows[name], place, now, reader)) for name in wanted]
    context = {"sections": sections, "only": only if only in parts else "", "place": place}
    return render(request, "processes/running.html", context)


@require_safe
def settled(request: HtmxRequest) -> HttpResponse:
    """Completed and failed, newest first; `?state=` narrows it."""
    state, place = request.GET.get("state", ""), Place.of(request.GET)
    rows = Process.objects.settled()
    if state in set(TERMINAL):
        rows = rows.filter(state=state)
    found = lines(rows, place, now_ms(), request.user.username)
    context = {"lines": found, "state": state if state in set(TERMINAL) else "", "place": place}
    return render(request, "processes/settled.html", context)


@require_safe
def search(request: HtmxRequest) -> HttpResponse:
    """By words of the objective, a question, the agent, a tool or a digest; by parts of the id,
    the objective and the question among the newest 20,000.
    """
    text = request.GET.get("q", "").strip()
    if len(text) > limits.NAME_CHARS:
        raise InvalidRequest(f"A search has at most {limits.NAME_CHARS} characters.")
    found = shown(_found(text) if text else [], now_ms(), request.user.username)
    context = {"q": text, "lines": Lines(found, ""), "searched": f"{limits.SEARCHED:,}"}
    return render(request, "processes/search.html", context)


def _found(text: str) -> list[Process]:
    """Whole words first, from all there is; then what has the text inside a word."""
    ids = find_processes(text, LENGTH)
    having = Process.objects.in_bulk(ids)
    found = [having[id] for id in ids if id in having]
    if len(found) < LENGTH:
        inside = Process.objects.matching(text, limits.SEARCHED).exclude(id__in=ids)
        found += inside.newest_first()[: LENGTH - len(found)]
    return found
