"""One process: what it asks, what it did, and everything behind that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dalhc.http.pages import HtmxRequest, part
from dalhc.http.problems import BadCursor
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes import services
from processes.journal.errors import ProcessNotFound
from processes.models import Archived, Process
from processes.shown import times
from processes.shown.facts import facts
from processes.shown.ledger import ledger
from processes.shown.panel import LATE, Panel, panel
from processes.shown.typed import Typed

PAGE = "processes/process.html"


@require_safe
def process(request: HtmxRequest, process_id: str) -> HttpResponse:
    """The ledger tab, which is the page itself."""
    found = find(process_id)
    before = number(request, "before")
    context = {"tab": "ledger", "ledger": ledger(found, request.user.username, before)}
    return shown(request, found, context, _reusing(request, found))


def _reusing(request: HtmxRequest, found: Process) -> Panel | None:
    """The panel with a past answer in its field; None unless one was asked for."""
    reused = request.GET.get("reuse")
    if reused is None:
        return None
    now = panel(found, services.person(request.user))
    words = [one.answer for one in now.past if one.suspension_id == reused]
    if now.kind != "ask" or not words:
        return now
    return replace(now, typed=Typed({"action": ["answer"], "answer": words}))


@require_safe
def since(request: HtmxRequest, process_id: str, revision: int) -> HttpResponse:
    """204 while nothing has happened; else what may change on the page. A form that someone
    fills in is never among it.
    """
    now = Process.objects.filter(id=process_id).values_list("revision", flat=True).first()
    if now == revision and not _is_late(request, process_id):
        return HttpResponse(status=204)
    found = find(process_id)
    return render(request, f"{PAGE}#changes", _changes(request, found))


def _is_late(request: HtmxRequest, process_id: str) -> bool:
    """A receipt is shown, and a minute has passed since without anyone coming for it."""
    was = request.GET.get("panel", "")
    if not was.startswith("decided.") or was.endswith(LATE):
        return False
    return panel(find(process_id), services.person(request.user)).key.endswith(LATE)


def _changes(request: HtmxRequest, found: Process) -> dict[str, Any]:
    now = panel(found, services.person(request.user))
    was, steps = request.GET.get("panel", ""), number(request, "steps") or 0
    typing = was.startswith("ask.")
    return {
        "process": found,
        "panel": now,
        "shown": was if typing else now.key,
        "facts": facts(found),
        "steps": steps,
        "news": max(0, found.stored_steps - steps),
        "keep_form": typing,
        "overtaken": typing and now.key != was,
    }


def shown(
    request: HtmxRequest,
    found: Process,
    context: dict[str, Any],
    with_panel: Panel | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page with its panel; for htmx only the history under it."""
    context |= {"process": found, "tabs": f"processes/tabs/{context['tab']}.html"}
    if not request.htmx or request.htmx.history_restore_request:
        context["panel"] = with_panel or panel(found, services.person(request.user))
        context["facts"] = facts(found)
    name = "older" if request.htmx.target == "older" else "history"
    return part(request, PAGE, name, context, status)


def refused(request: HtmxRequest, problem: Problem, process_id: str, **_: Any) -> HttpResponse:
    """The page as it stands now, why nothing was sent, and what was typed."""
    return decided(request, process_id, Typed(dict(request.POST.lists())), problem)


def decided(
    request: HtmxRequest,
    process_id: str,
    typed: Typed | None = None,
    problem: Problem | None = None,
) -> HttpResponse:
    """The panel after someone pressed a button, on its page or alone."""
    found = find(process_id)
    by = services.person(request.user)
    status = status_of(problem) if problem else 200
    context: dict[str, Any] = {
        "process": found,
        "panel": panel(found, by, typed, problem),
        "facts": facts(found),
        "steps": found.stored_steps,
        "tab": "ledger",
        "tabs": "processes/tabs/ledger.html",
    }
    if not request.htmx:
        context["ledger"] = ledger(found, request.user.username)
    return part(request, PAGE, "decided", context, status)


def find(process_id: str) -> Process:
    """People see every process. Raises ProcessNotFound."""
    found = Process.objects.filter(id=process_id).first()
    if found is None:
        raise _missing(process_id)
    return found


def _missing(process_id: str) -> ProcessNotFound:
    """Where it went, if it was archived."""
    stub = Archived.objects.filter(process_id=process_id).first()
    if stub is None:
        return ProcessNotFound()
    when = f"{times.full(stub.at_ms)}"
    return ProcessNotFound(
        f"It was archived on {when}. Its passport is archive/{stub.passport}."
    )


def number(request: HtmxRequest, name: str) -> int | None:
    """A whole number from the query. Raises BadCursor."""
    text = request.GET.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise BadCursor
    return int(text)
