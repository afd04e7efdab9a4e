"""Pages about sleeping agents: the list, one of them, and a person's wake."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest, problem_page, refused_by, see
from dalhc.http.problems import InvalidRequest
from dalhc.http.status import status_of
from dalhc.problems import Problem
from descriptors import services
from descriptors.contract.errors import DescriptorNotFound
from descriptors.contract.limits import KEY_CHARS
from descriptors.shown.cycles import cycles, may_have_run
from descriptors.shown.forecast import forecast
from descriptors.shown.sleepers import KINDS, line, lines
from processes import services as processes
from processes.models import Process


@require_safe
def sleepers(request: HtmxRequest) -> HttpResponse:
    """Who sleeps; `?kind=`, `?key=` (a prefix) and `?preset=` narrow it."""
    asked = {name: request.GET.get(name, "") for name in ("kind", "key", "preset", "after")}
    if any(len(text) > KEY_CHARS or "\0" in text for text in asked.values()):
        raise InvalidRequest(f"A filter has at most {KEY_CHARS} characters.")
    kind = asked["kind"] if asked["kind"] in KINDS else ""
    prefix = "" if kind == "timer" else asked["key"]
    by, now = processes.person(request.user), now_ms()
    context: dict[str, Any] = {
        "lines": lines(by, now, kind, prefix, asked["preset"], asked["after"]),
        "forecast": forecast(now),
        "kinds": KINDS.items(),
        "can_wake": "decide" in by.scopes,
        **asked,
        "kind": kind,
    }
    return render(request, "descriptors/sleepers.html", context)


@require_safe
def sleeper(request: HtmxRequest, session_id: str) -> HttpResponse:
    """One sleeper: what it sleeps on, its descriptor, and its cycles."""
    return _page(request, session_id)


def _refused(request: HtmxRequest, problem: Problem, session_id: str) -> HttpResponse:
    if isinstance(problem, DescriptorNotFound):
        return problem_page(request, problem)
    return _page(request, session_id, problem)


@require_POST
@refused_by(_refused)
def wake(request: HtmxRequest, session_id: str) -> HttpResponse:
    """A person wakes it; the page asks first."""
    services.wake(session_id, by=processes.person(request.user))
    return see("descriptors:sleeper", session_id)


def _page(
    request: HtmxRequest, session_id: str, problem: Problem | None = None
) -> HttpResponse:
    by, now = processes.person(request.user), now_ms()
    found = services.sleeper(session_id, by=by)
    process = Process.objects.get(id=session_id)
    whole = services.whole(found)
    context = {
        "process": process,
        "line": line(session_id, process.objective, found.agent, whole, now),
        "descriptor": whole.descriptor,
        "cycles": cycles(session_id),
        "open": may_have_run(session_id),
        "can_wake": "decide" in by.scopes,
        "problem": problem,
    }
    status = status_of(problem) if problem else 200
    return render(request, "descriptors/sleeper.html", context, status=status)
