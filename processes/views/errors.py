"""Error pages: what happened in one sentence, and nothing typed is lost."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.urls import reverse

from dalhc.http import carrying
from dalhc.http.pages import HtmxRequest, problem_page
from dalhc.http.problems import InvalidRequest, NotFound, TooLarge
from processes.services import Forbidden


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return problem_page(request, TooLarge(), 413)
    return problem_page(request, InvalidRequest("The browser sent something unreadable."), 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem_page(request, Forbidden())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem_page(request, NotFound("The address is wrong, or what was here is gone."))


def server_error(request: HttpRequest) -> HttpResponse:
    """Made of nothing that could fail again: no database, no session, no frame."""
    return HttpResponse(loader.get_template("500.html").render(), status=500)


def csrf_failure(request: HtmxRequest, reason: str = "") -> HttpResponse:
    """A form that is too old, or that another site sent. Ours comes back with its text, to be
    sent again by hand; another site's does not.
    """
    if request.htmx:
        return HttpResponse(status=403)  # the browser then sends the form by itself, whole
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in {"same-origin", "none"}:
        return problem_page(request, Forbidden("Another site sent this form."))
    if request.path == reverse("login"):
        return _login_again(request)
    match = request.resolver_match
    carried = carrying.pack(request, match.func) if match else None
    return _kept(request, carried)


def _login_again(request: HtmxRequest) -> HttpResponse:
    """Someone logged in in another window meanwhile, or the login
    page was left open for long.
    """
    carried = carrying.unpack(request.POST.get("carried", ""))
    if request.user.is_authenticated:
        return _kept(request, carried)
    if carried is None:
        problem = Forbidden("The login page was open for too long. Nothing was sent.")
        return problem_page(request, problem)
    return carrying.login_page(request, carried)


def _kept(request: HtmxRequest, carried: carrying.Carried | None) -> HttpResponse:
    return render(request, "kept.html", {"carried": carried}, status=403)
