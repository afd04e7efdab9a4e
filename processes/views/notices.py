"""Who is told when something needs a person, and what became of each message."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from dalhc.http.pages import HtmxRequest, problem_page, refused_by, see
from dalhc.http.status import status_of
from dalhc.problems import Problem
from processes import services
from processes.forms import RecipientForm
from processes.models import Notice, Recipient
from processes.notices.words import KINDS
from processes.services.actors import Forbidden
from processes.views.rights import admins_only

LOGGED = 100


def refused(request: HtmxRequest, problem: Problem, **_: Any) -> HttpResponse:
    """The page with what was typed and why it was not taken."""
    if isinstance(problem, Forbidden):
        return problem_page(request, problem)
    typed = {**request.POST.dict(), "wants": request.POST.getlist("wants")}
    return _page(request, problem=problem, typed=typed, status=status_of(problem))


@require_http_methods(["GET", "HEAD", "POST"])
@refused_by(refused)
@admins_only
def notices(request: HtmxRequest) -> HttpResponse:
    """Recipients and the log; a POST adds one, and only its answer shows a secret."""
    if request.method != "POST":
        return _page(request)
    sent = RecipientForm(request.POST).require_valid()
    made, secret = services.add_recipient(
        sent["kind"], sent["address"], sent["wants"], by=services.person(request.user)
    )
    return _page(request, made=made, secret=secret)


@require_POST
@refused_by(refused)
@admins_only
def remove(request: HtmxRequest, recipient_id: int) -> HttpResponse:
    """Nothing more goes there."""
    services.remove_recipient(recipient_id, by=services.person(request.user))
    return see("processes:notices")


@require_POST
@refused_by(refused)
@admins_only
def again(request: HtmxRequest, notice_id: str) -> HttpResponse:
    """Try what has failed anew."""
    services.send_again(notice_id, by=services.person(request.user))
    return see("processes:notices")


def _page(request: HtmxRequest, status: int = 200, **context: Any) -> HttpResponse:
    typed = context.setdefault("typed", {"wants": [*KINDS], "kind": "webhook"})
    log = Notice.objects.select_related("recipient", "suspension").order_by("-at_ms", "-id")
    context |= {
        "recipients": Recipient.objects.filter(removed_at_ms=None).order_by("id"),
        "log": log[:LOGGED],
        "wants": [(kind, kind in typed["wants"]) for kind in KINDS],
        "hosts": settings.ENVIRONMENT.webhook_hosts,
        "has_mail": bool(settings.ENVIRONMENT.smtp),
    }
    return render(request, "processes/notices.html", context, status=status)
