"""A person decides, takes it back, or ends a process."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from dalhc.http.carrying import carries
from dalhc.http.pages import HtmxRequest, refused_by, see
from processes import services
from processes.forms import TYPED, DecisionForm, DraftForm, StopForm
from processes.journal.errors import ProcessNotFound
from processes.models import Suspension
from processes.shown.editing import turned
from processes.shown.panel import panel
from processes.shown.typed import Typed
from processes.views.process import decided, find, refused


@require_POST
@carries(*DecisionForm.base_fields, *TYPED)
@refused_by(refused)
def decision(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Decide about a suspension of this process, exactly as it was shown."""
    form, by = DecisionForm(request.POST), services.person(request.user)
    stop = suspension_of(process_id, form.require_valid()["suspension_id"], by)
    choice = form.choice(stop)
    services.try_answer(stop.id, choice, by=by)
    services.decide(stop.id, choice, by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def diff(request: HtmxRequest, process_id: str) -> HttpResponse:
    """What an edit would change, or the same edit as JSON or as fields; nothing is sent."""
    typed = Typed(dict(request.POST.lists()))
    if "as" in typed:
        stop = suspension_of(
            process_id, typed.get("suspension_id", ""), services.person(request.user)
        )
        return decided(request, process_id, turned(stop.proposed_args or "", typed))
    if not request.htmx:
        return decided(request, process_id, typed)
    shown = panel(find(process_id), services.person(request.user), typed)
    return render(request, "processes/diff.html", {"panel": shown, "other": True})


@require_POST
def draft(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Keep what is being typed; the page says nothing but that it is kept."""
    form, by = DraftForm(request.POST), services.person(request.user)
    stop = suspension_of(process_id, form.require_valid()["suspension_id"], by)
    services.save_draft(stop.id, form.command(), by=by)
    return HttpResponse(status=204)


@require_POST
@refused_by(refused)
def forget(request: HtmxRequest, process_id: str) -> HttpResponse:
    """What was typed about it and never sent is not needed any more."""
    by = services.person(request.user)
    stop = suspension_of(process_id, request.POST.get("suspension_id", ""), by)
    services.forget_draft(stop.id, request.POST.get("action"), by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def back(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Take the decision back, while it has not been picked up."""
    by = services.person(request.user)
    stop = suspension_of(process_id, request.POST.get("suspension_id", ""), by)
    services.take_back(stop.id, by=by)
    return done(request, process_id)


@require_POST
@refused_by(refused)
def ring(request: HtmxRequest, process_id: str) -> HttpResponse:
    """Wake whoever waits for the decision once more."""
    by = services.person(request.user)
    stop = suspension_of(process_id, request.POST.get("suspension_id", ""), by)
    services.ring(stop.id, by=by)
    return done(request, process_id)


@require_POST
@carries(*StopForm.base_fields, "seen_by")
@refused_by(refused)
def stop(request: HtmxRequest, process_id: str) -> HttpResponse:
    """End a process that asks nothing."""
    command = StopForm(request.POST).command()
    services.stop(process_id, command, by=services.person(request.user))
    return done(request, process_id)


def done(request: HtmxRequest, process_id: str) -> HttpResponse:
    """The receipt: in its place for htmx, else the page anew, so
    that a reload sends nothing.
    """
    if request.htmx:
        return decided(request, process_id)
    return see("processes:process", process_id)


def suspension_of(process_id: str, suspension_id: str, by: services.Actor) -> Suspension:
    """The suspension, if it is this process's (cases B80). Raises ProcessNotFound."""
    found = services.suspension(suspension_id, by=by)
    if found.process_id != process_id:
        raise ProcessNotFound
    return found
