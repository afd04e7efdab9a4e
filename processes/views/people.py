"""People: added, given a role, given a new password, let go and let in again."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from dalhc.http.pages import HtmxRequest, problem_page, refused_by, see
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes import services
from processes.forms import PersonForm, RoleForm
from processes.services.actors import PRINCIPALS, REVIEWERS, Forbidden
from processes.services.people import ROLES
from processes.views.rights import admins_only

_ROLES = {PRINCIPALS: "principal", REVIEWERS: "reviewer"}


def refused(request: HtmxRequest, problem: Problem, **_: Any) -> HttpResponse:
    """The page with what was typed and why it was not taken."""
    if isinstance(problem, Forbidden):
        return problem_page(request, problem)
    return _page(request, problem=problem, typed=request.POST, status=status_of(problem))


@require_http_methods(["GET", "HEAD", "POST"])
@refused_by(refused)
@admins_only
def people(request: HtmxRequest) -> HttpResponse:
    """Everyone who may log in; a POST adds one."""
    if request.method != "POST":
        return _page(request)
    sent = PersonForm(request.POST).require_valid()
    services.add_person(**sent, by=services.person(request.user))
    return see("processes:people")


@require_POST
@refused_by(refused)
@admins_only
def role(request: HtmxRequest, user_id: int) -> HttpResponse:
    sent = RoleForm(request.POST).require_valid()
    services.change_role(user_id, sent["role"], by=services.person(request.user))
    return see("processes:people")


@require_POST
@refused_by(refused)
@admins_only
def password(request: HtmxRequest, user_id: int) -> HttpResponse:
    """A new password; this answer is the only place where it is ever seen."""
    word = services.reset_password(user_id, by=services.person(request.user))
    return _page(request, reset=User.objects.get(id=user_id), word=word)


@require_POST
@refused_by(refused)
@admins_only
def active(request: HtmxRequest, user_id: int) -> HttpResponse:
    """`active=1` lets someone log in, anything else does not."""
    wanted = request.POST.get("active") == "1"
    services.set_active(user_id, wanted, by=services.person(request.user))
    return see("processes:people")


def role_of(user: User) -> str:
    """The first word that fits; empty for someone who was given none."""
    if user.is_superuser:
        return "admin"
    return next((_ROLES[g.name] for g in user.groups.all() if g.name in _ROLES), "")


def _page(request: HtmxRequest, status: int = 200, **context: Any) -> HttpResponse:
    users = User.objects.prefetch_related("groups").order_by("username")
    context |= {"people": [(user, role_of(user)) for user in users], "roles": ROLES}
    return render(request, "processes/people.html", context, status=status)
