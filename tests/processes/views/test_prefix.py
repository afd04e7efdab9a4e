"""Behind a proxy at `https://desk.example.com/dalhc/` every link that is shown opens (B14)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import clear_script_prefix, set_script_prefix

from dalhc.environment import Environment
from dalhc.http import pages
from processes.shown import rows
from processes.templatetags.dalhc import icon
from tests.making import append, decide, make_process, suspend
from tests.processes.views.conftest import logged_in

PREFIX = "/dalhc"
# What a page asks for: links, forms, what htmx fetches, pictures, scripts.
ADDRESS = re.compile(r'(?:href|action|src|formaction|hx-[a-z]+)="?(/[^"\s>]*)')
MOST = 60
# A server has one prefix for all its life, and so remembers what it has made with it.
REMEMBERED = (rows._mark, pages._nav, icon)


@pytest.fixture
def behind(db: None, settings: Any) -> Iterator[Client]:
    settings.FORCE_SCRIPT_NAME = PREFIX
    settings.STATIC_URL = f"{PREFIX}/static/"
    for remembered in REMEMBERED:
        remembered.cache_clear()
    set_script_prefix(PREFIX)  # as Django does for each request; its test client does not
    yield logged_in("admin", "principals", is_superuser=True)
    clear_script_prefix()
    for remembered in REMEMBERED:
        remembered.cache_clear()


def addresses(reply: Any) -> set[str]:
    """Those of a page; a file is read to its end, which closes it."""
    if reply.streaming:
        assert b"".join(reply.streaming_content)
    if reply.streaming or not reply.get("Content-Type", "").startswith("text/html"):
        return set()
    found = ADDRESS.findall(reply.content.decode())
    return {address.replace("&amp;", "&").partition("#")[0] for address in found}


def test_B14_every_link_keeps_the_prefix_and_opens(behind):
    asks = make_process(objective="Reconcile", running=True)
    append(asks, "read", args={"page": 1})
    suspend(asks, question="Which ledger?")
    decide(make_process(objective="Prune", question="All?"), answer="yes")
    seen, left = set(), ["/"]
    while left and len(seen) < MOST:
        path = left.pop(0)
        if path in seen or "logout" in path:
            continue
        seen.add(path)
        reply = behind.get(path)
        assert reply.status_code in {200, 204, 302, 405}, (path, reply.status_code)
        for address in addresses(reply):
            assert address.startswith(f"{PREFIX}/"), (path, address)
            left.append(address.removeprefix(PREFIX))
    assert len(seen) > 30
    assert {"/", f"/processes/{asks.id}/", "/static/icons.svg"} <= seen


def test_B14_who_is_not_logged_in_comes_back_to_where_they_were(behind):
    reply = Client().get("/running/")
    assert reply["Location"] == f"{PREFIX}/login/?next={PREFIX}/running/"


def test_B14_a_form_that_was_not_sent_is_sent_there(behind):
    made = make_process(question="Which?")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = behind.cookies
    typed = {"suspension_id": made.suspension_id, "action": "answer", "answer": "eu"}
    reply = strict.post(f"/processes/{made.id}/decision/", typed)
    assert reply.status_code == 403
    assert f'action="{PREFIX}/processes/{made.id}/decision/"' in reply.content.decode()


def test_B14_the_prefix_is_that_of_the_public_address(monkeypatch):
    for url, prefix in (
        ("https://desk.example.com/dalhc/", PREFIX),
        ("https://desk.example.com", ""),
        ("", ""),
    ):
        monkeypatch.setenv("DALHC_URL", url)
        assert Environment().prefix == prefix


@pytest.mark.parametrize("url", ["desk.example.com", "localhost:8000", "https://x/?a=1", "/x"])
def test_B14_what_is_no_whole_address_is_refused_by_its_name(url, monkeypatch):
    monkeypatch.setenv("DALHC_URL", url)
    with pytest.raises(ValueError, match=r"(?s)DALHC_URL.*https://desk\.example\.com/dalhc"):
        Environment()
