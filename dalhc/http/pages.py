"""What every page shares: its frame, its headers, its login, and where a refusal becomes a
page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from dalhc.db.refusals import refusal
from dalhc.http import carrying
from dalhc.http.problems import InvalidRequest, MethodNotAllowed
from dalhc.http.requests import is_api
from dalhc.http.status import status_of
from dalhc.problems import Problem

type View = Callable[..., HttpResponseBase]

NAV = (
    ("processes:inbox", "Inbox"),
    ("processes:running", "Running"),
    ("processes:settled", "Settled"),
    ("descriptors:sleepers", "Sleepers"),
    ("processes:audit", "History"),
    ("processes:search", "Search"),
)
# Pages without an entry of their own, under the entry they belong to.
UNDER = {
    "descriptors:sleeper": "descriptors:sleepers",
    "processes:cycles": "processes:audit",
    "processes:artifact-index": "processes:audit",
}
THEMES = ("light", "dark")


class HtmxRequest(HttpRequest):
    """A request as the middleware hands it to a page."""

    htmx: HtmxDetails
    user: User | AnonymousUser
    request_id: str


def part(
    request: HtmxRequest, template: str, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The whole page, or, when htmx asks, the partial `name` of it alone."""
    alone = request.htmx and not request.htmx.history_restore_request
    chosen = f"{template}#{name}" if alone else template
    return render(request, chosen, context, status=status)


class SeeOther(HttpResponseRedirect):
    """After a POST: the answer is at another address, and a reload sends nothing again."""

    status_code = 303


def see(name: str, *args: object) -> SeeOther:
    return see_path(reverse(name, args=args))


def see_path(path: str) -> SeeOther:
    return SeeOther(path)


def refused_by(show: Callable[..., HttpResponse]) -> Callable[[View], View]:
    """A refusal in this view is shown by `show(request, problem, **kwargs)`, not on the bare
    page.
    """

    def marked(view: View) -> View:
        view.refused = show  # type: ignore[attr-defined]
        return view

    return marked


class PageMiddleware:
    """Login first, no page in a cache, and every Problem met here."""

    def __init__(self, respond: Callable[[HtmxRequest], HttpResponse]) -> None:
        self.respond = respond

    def __call__(self, request: HtmxRequest) -> HttpResponse:
        response = self.respond(request)
        if is_api(request.path_info):
            return response
        if response.status_code == 405 and not response.content:
            response = _not_allowed(request, response)
        response.setdefault("Cache-Control", "no-store, private")
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["HX-Request"])
        return response

    def process_view(
        self, request: HtmxRequest, view: View, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Only what says so itself is reachable without a login (cases B77). A NUL, which no
        database keeps, is met here for every page.
        """
        if not is_api(request.path_info) and (name := _nul_in(request)) is not None:
            return _nul_refused(request, name)
        is_open = not getattr(view, "login_required", True)
        if is_open or is_api(request.path_info) or request.user.is_authenticated:
            return None
        return _login_first(request, view)

    def process_exception(self, request: HtmxRequest, error: Exception) -> HttpResponse | None:
        """The one place where a page meets a refusal."""
        problem = error if isinstance(error, Problem) else refusal(error)
        if problem is None or is_api(request.path_info):
            return None
        return refused(request, problem)


def _nul_in(request: HttpRequest) -> str | None:
    """The field that holds one."""
    sent = [request.GET, request.POST] if request.method == "POST" else [request.GET]
    named = ((name, text) for one in sent for name, texts in one.lists() for text in texts)
    return next((name for name, text in named if "\0" in text), None)


def _nul_refused(request: HtmxRequest, name: str) -> HttpResponse:
    """With what was typed where that can be shown: a list asks for what is in its address."""
    problem = InvalidRequest("A field holds a NUL character.", pointer=f"/{name}")
    is_typed = request.user.is_authenticated and name not in request.GET
    return refused(request, problem) if is_typed else problem_page(request, problem)


def refused(request: HtmxRequest, problem: Problem) -> HttpResponse:
    """The refusal as its view shows it, or as a page of its own."""
    match = request.resolver_match
    show = getattr(match.func, "refused", None) if match else None
    if match is None or show is None:
        return problem_page(request, problem)
    response: HttpResponse = show(request, problem, **match.kwargs)
    return response


def problem_page(
    request: HttpRequest, problem: Problem, status: int | None = None
) -> HttpResponse:
    """One sentence, what it means, and a way on."""
    status = status or status_of(problem)
    response = part(
        request,  # type: ignore[arg-type]
        "problem.html",
        "notice",
        {"problem": problem, "status": status},
        status,
    )
    if problem.retry_after is not None:
        response["Retry-After"] = str(problem.retry_after)
    return response


def _not_allowed(request: HtmxRequest, response: HttpResponse) -> HttpResponse:
    page = problem_page(request, MethodNotAllowed())
    page["Allow"] = response["Allow"]
    return page


def _login_first(request: HtmxRequest, view: View) -> HttpResponse:
    """A page is asked for again after the login; what was typed goes through it."""
    if request.htmx:
        return HttpResponse(status=401)  # the browser then sends the form by itself, whole
    if request.method == "POST":
        if carried := carrying.pack(request, view):
            return carrying.login_page(request, carried)
        return redirect_to_login(reverse("processes:inbox"))
    return redirect_to_login(request.get_full_path())


def frame(request: HttpRequest) -> dict[str, Any]:
    """What base.html needs: where one can go, and in which light."""
    match = getattr(request, "resolver_match", None)
    here = match.view_name if match else ""
    theme = request.COOKIES.get("theme", "")
    return {
        "nav": [(url, label, name == UNDER.get(here, here)) for name, url, label in _nav()],
        "theme": theme if theme in THEMES else "",
        "here": request.get_full_path() if request.method == "GET" else "",
    }


@cache
def _nav() -> list[tuple[str, str, str]]:
    return [(name, reverse(name), label) for name, label in NAV]
