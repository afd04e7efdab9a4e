"""A person claims what waits, gives it back, passes it on or puts it off."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from dalhc.http.pages import HtmxRequest, refused_by
from processes import services
from processes.forms import ReassignForm, SnoozeForm
from processes.journal.attention import Claim
from processes.views.decision import done, suspension_of
from processes.views.process import refused


@require_POST
@refused_by(refused)
def claim(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Be on it; `take_over` takes it from whoever is."""
    by = services.person(request.user)
    stop = suspension_of(process_id, request.POST.get("suspension_id", ""), by)
    command = Claim(take_over=request.POST.get("take_over") == "1")
    services.claim(stop.id, command, by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def release(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Give it back to everyone."""
    by = services.person(request.user)
    stop = suspension_of(process_id, request.POST.get("suspension_id", ""), by)
    services.let_go(stop.id, by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def reassign(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Say whom it is meant for."""
    form, by = ReassignForm(request.POST), services.person(request.user)
    stop = suspension_of(process_id, form.require_valid()["suspension_id"], by)
    services.reassign(stop.id, form.command(), by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def snooze(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Out of the list for a while, or back into it."""
    form, by = SnoozeForm(request.POST), services.person(request.user)
    stop = suspension_of(process_id, form.require_valid()["suspension_id"], by)
    services.snooze(stop.id, form.until(), by=by)
    return done(request, process_id)
