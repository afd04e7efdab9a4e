"""Keys of runtimes and of people's programs: issued, shown once, revoked."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from dalhc.clock import now_ms
from dalhc.http.pages import HtmxRequest, problem_page, refused_by, see
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes import services
from processes.forms import KeyForm
from processes.models import RuntimeKey
from processes.models.runtime import SCOPES
from processes.services.actors import Forbidden
from processes.views.rights import admins_only


def refused(request: HtmxRequest, problem: Problem, **_: Any) -> HttpResponse:
    """The page with what was typed and why it was not taken."""
    if isinstance(problem, Forbidden):
        return problem_page(request, problem)
    typed = {**request.POST.dict(), "scopes": request.POST.getlist("scopes")}
    return _page(request, problem=problem, typed=typed, status=status_of(problem))


@require_http_methods(["GET", "HEAD", "POST"])
@refused_by(refused)
@admins_only
def keys(request: HtmxRequest) -> HttpResponse:
    """Every key; a POST issues one, and its answer is the only place where it is ever seen."""
    if request.method != "POST":
        return _page(request)
    fields = KeyForm(request.POST).fields_of_key()
    key, secret = services.issue_key(**fields, by=services.person(request.user))
    return _page(request, issued=key, secret=secret)


@require_POST
@admins_only
def revoke(request: HtmxRequest, key_id: int) -> HttpResponse:
    """From its next request on the key is refused."""
    services.revoke_key(key_id, by=services.person(request.user))
    return see("processes:keys")


def _page(request: HtmxRequest, status: int = 200, **context: Any) -> HttpResponse:
    typed = context.setdefault("typed", {"scopes": ["journal", "read", "wake"]})
    context |= {
        "keys": RuntimeKey.objects.select_related("user", "owner"),
        "people": User.objects.filter(is_active=True).order_by("username"),
        "scopes": [(scope, scope in typed["scopes"]) for scope in SCOPES],
        "now": now_ms(),
    }
    return render(request, "processes/keys.html", context, status=status)
