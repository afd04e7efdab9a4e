"""Text typed by someone whose login has ended, carried through the next login and sent once.

The fields travel in the login form, signed by the server: bound to the address they were meant
for, to the person who typed them, for one hour and for one use. Nothing is stored for people
who are not logged in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import get_script_prefix, resolve

SALT = "dalhc.carried"
SECONDS = 3600
MOST_CHARS = 80_000
USES_KEPT = 50
_USED = "carried_used"

type View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Carried:
    """One form, as it was sent. `who` is the person it was shown to."""

    path: str
    pairs: list[tuple[str, str]]  # a field of many choices comes many times
    nonce: str

    @property
    def fields(self) -> dict[str, str]:
        """Each field with its last value."""
        return dict(self.pairs)

    @property
    def who(self) -> str:
        return self.fields.get("seen_by", "")

    @property
    def text(self) -> str:
        """What was typed, to be shown while logging in."""
        fields = self.fields
        return next((fields[name] for name in WORDS if fields.get(name)), "")

    @property
    def address(self) -> str:
        """Where its form is sent to from a page."""
        return get_script_prefix().rstrip("/") + self.path

    @property
    def signed(self) -> str:
        return signing.dumps([self.path, self.pairs, self.nonce], salt=SALT, compress=True)


WORDS = ("answer", "note", "args")


def carries(*names: str) -> Callable[[View], View]:
    """These fields of a POST to this view are kept when its login or its form has run out."""

    def marked(view: View) -> View:
        view.carries = names  # type: ignore[attr-defined]
        return view

    return marked


def pack(request: HttpRequest, view: object) -> Carried | None:
    """The form of this request, or None where there is nothing to carry."""
    names = getattr(view, "carries", ())
    pairs = [(name, value) for name in names for value in request.POST.getlist(name)]
    if not pairs or sum(len(value) for _, value in pairs) > MOST_CHARS:
        return None
    return Carried(request.path_info, pairs, secrets.token_urlsafe(9))


def unpack(text: str) -> Carried | None:
    """A form we signed within the hour, or None."""
    try:
        path, pairs, nonce = signing.loads(text, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        return None
    return Carried(path, [(name, value) for name, value in pairs], nonce)


def login_page(request: HttpRequest, carried: Carried, form: Any = None) -> HttpResponse:
    """The login with the form inside it."""
    context = {"form": form or AuthenticationForm(request), "carried": carried, "next": ""}
    return render(request, "login.html", context, status=401)


def is_first_use(request: HttpRequest, carried: Carried) -> bool:
    """True once per form and session."""
    used = request.session.get(_USED, [])
    if carried.nonce in used:
        return False
    request.session[_USED] = [*used, carried.nonce][-USES_KEPT:]
    return True


def send(request: HttpRequest, carried: Carried) -> HttpResponseBase:
    """Ask the view it was meant for, as if the form had just been sent: every rule is applied
    anew.
    """
    aim(request, carried)
    match = resolve(carried.path)
    answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    return answer


def aim(request: HttpRequest, carried: Carried) -> None:
    """Make `request` the one that was carried, so that a refusal too is shown where it
    belongs.
    """
    post = QueryDict(mutable=True)
    for name, value in carried.pairs:
        post.appendlist(name, value)
    request.POST = post  # type: ignore[assignment]
    request.resolver_match = resolve(carried.path)
