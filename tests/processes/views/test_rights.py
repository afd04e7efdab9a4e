"""Who reaches what: the whole list of addresses, walked by everyone."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dalhc.http.requests import is_api
from tests.making import decide, make_process

OPEN = {"login", "logout", "theme", "healthz", "readyz"}
ADMINS = ("/keys/", "/people/", "/status/")


def patterns(resolver: URLResolver | None = None, before: str = ""):
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route)
        elif isinstance(entry, URLPattern):
            yield entry.name or route, route


def address(route: str) -> str:
    for kind, value in (
        ("process:process_id", "x"),
        ("session:session_id", "x"),
        ("int:", "1"),
        ("slug:", "x"),
        ("path:path", "x"),
    ):
        route = re.sub(rf"<{kind}[^>]*>", value, route)
    return "/" + route


def test_without_a_login_nothing_is_reached_but_what_says_so(db):
    """Cases B77."""
    reached = set()
    for name, route in patterns():
        if is_api(f"/{route}"):
            continue
        for method in ("get", "post"):
            answer = getattr(Client(), method)(address(route))
            if answer.status_code != 302 or not answer["Location"].startswith("/login/?next="):
                reached.add(name)
    assert reached == OPEN


@pytest.mark.parametrize("page", ADMINS)
def test_admins_pages_are_for_admins(principal, reviewer, admin, page):
    assert admin.get(page).status_code == 200
    for client in (principal, reviewer):
        answer = client.get(page)
        assert answer.status_code == 403
        assert "dalhc_" not in answer.content.decode()


@pytest.mark.parametrize(
    "page",
    [
        "/keys/",
        "/keys/1/revoke/",
        "/people/",
        "/people/1/role/",
        "/people/1/password/",
        "/people/1/active/",
    ],
)
def test_admins_forms_are_for_admins(principal, page):
    assert principal.post(page, {"name": "x", "role": "admin"}).status_code == 403


@pytest.mark.parametrize("person", ["principal", "reviewer", "admin"])
def test_every_link_leads_somewhere(request, person):
    """Cases B40: each page's links, for each role."""
    client = request.getfixturevalue(person)
    make_process(question="Which region?", steps=3)
    make_process(
        reason="guard", detail="Rows.", proposed_action={"tool": "run", "args": {"a": 1}}
    )
    decide(make_process(question="Which day?"), answer="eu")
    make_process(ended="failed")
    make_process()
    seen, waiting = set(), ["/"]
    while waiting:
        page = waiting.pop()
        seen.add(page)
        answer = client.get(page)
        assert answer.status_code == 200, page
        if answer.streaming or not answer["Content-Type"].startswith("text/html"):
            continue
        for link in re.findall(r'(?:href|hx-get)="(/[^"#]*)"', answer.content.decode()):
            link = link.replace("&amp;", "&")
            if link not in seen and not link.startswith("/static/") and "/since/" not in link:
                waiting.append(link)
    assert len(seen) > 30


def test_no_page_is_cached_or_framed(principal):
    make_process(question="Which region?")
    for page in ("/", "/running/", "/patterns/", "/nothing/"):
        answer = principal.get(page)
        assert "no-store" in answer["Cache-Control"]
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"
        assert "HX-Request" in answer["Vary"]


def test_nothing_is_inline(principal, admin):
    made = make_process(question="Which region?", steps=2)
    pages = ["/", "/running/", "/settled/", "/patterns/", f"/processes/{made.id}/", *ADMINS]
    for page in pages:
        said = admin.get(page).content.decode()
        assert re.findall(r"""<style|<[^>]*\s(?:style|on\w+)=|=["']javascript:""", said) == []
        scripts = re.findall(r"<script[^>]*>", said)
        assert len(scripts) == 4 and all(
            "nonce=" in script and "src=" in script for script in scripts
        )
