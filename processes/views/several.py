"""Decide several: choose, look at them once more with their exact number, then each alone."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe
from pydantic import ValidationError

from dalhc.http.pages import HtmxRequest, refused_by
from dalhc.http.problems import InvalidRequest
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes import services
from processes.journal.bulk import Bulk, require_note
from processes.services.actors import require_decider
from processes.shown import several
from processes.views.inbox import filters_of

PAGE = "processes/several.html"


@require_safe
def select(request: HtmxRequest) -> HttpResponse:
    """The list with boxes to tick."""
    return _select(request)


def _select(request: HtmxRequest, status: int = 200, **more: Any) -> HttpResponse:
    filters = filters_of(request)
    context = {"filters": filters, "lines": several.choosable(filters), "verbs": several.VERBS}
    return render(request, PAGE, context | {"step": "select"} | more, status=status)


def refused(request: HtmxRequest, problem: Problem, **_: Any) -> HttpResponse:
    """The list again, why nothing was done, and what was typed."""
    more = {"problem": problem, "typed": request.POST, "chosen": _chosen(request)}
    return _select(request, status_of(problem), **more)


@require_POST
@refused_by(refused)
def confirm(request: HtmxRequest) -> HttpResponse:
    """Those that were ticked, as they stand now; nothing is decided yet."""
    by, action = services.person(request.user), _action(request)
    require_decider(by)
    lines = several.looked_at(request.POST.getlist("id"), action, by)
    if not lines:
        raise InvalidRequest("None of what was ticked is waiting.")
    require_note(action, request.POST.get("note"))
    context = {
        "step": "confirm",
        "filters": filters_of(request),
        "lines": [line for line in lines if not line.why_not],
        "left": [line for line in lines if line.why_not],
        "action": action,
        "verb": several.VERBS[action],
        "note": request.POST.get("note", ""),
    }
    return render(request, PAGE, context)


@require_POST
@refused_by(refused)
def decide(request: HtmxRequest) -> HttpResponse:
    """Each by itself: what has changed since it was shown is left as it is."""
    outcomes = services.decide_many(_command(request), by=services.person(request.user))
    lines = several.told(outcomes)
    left = [line for line in lines if line.why_not]
    context = {"step": "done", "done": len(lines) - len(left), "left": left}
    return render(request, PAGE, context)


def _chosen(request: HtmxRequest) -> list[str]:
    """What was ticked: ids in the list, and with what was shown at the second look."""
    looked_at = (pair.partition(":")[0] for pair in request.POST.getlist("item"))
    return [*request.POST.getlist("id"), *looked_at]


def _command(request: HtmxRequest) -> Bulk:
    pairs = (pair.partition(":") for pair in request.POST.getlist("item"))
    items = [{"id": id, "review_digest": digest} for id, _, digest in pairs]
    note = request.POST.get("note", "").replace("\r\n", "\n") or None
    try:
        return Bulk.model_validate({"action": _action(request), "note": note, "items": items})
    except ValidationError as invalid:
        raise InvalidRequest(f"{invalid.errors()[0]['msg']}.") from None


def _action(request: HtmxRequest) -> str:
    action = request.POST.get("action", "")
    if action not in several.VERBS:
        raise InvalidRequest("Say what to do with them.")
    return action
