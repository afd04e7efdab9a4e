"""A browser before a running server, and people who are logged in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

# Playwright's own loop runs in this thread; the tests themselves are ordinary ones.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

GROUPS = {"principal": "principals", "ana": "principals", "reviewer": "reviewers", "admin": ""}
PASSWORD = "amber-lagoon-kelp-402"

type LogIn = Callable[..., Page]


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as player:
        opened = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def people(transactional_db: None, settings) -> dict[str, User]:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # in no time
    made = {name: User.objects.create_user(name, password=PASSWORD) for name in GROUPS}
    for name, group in GROUPS.items():
        if group:
            made[name].groups.add(Group.objects.get_or_create(name=group)[0])
    User.objects.filter(username="admin").update(is_superuser=True)
    return made


@pytest.fixture
def log_in(live_server, browser: Browser, people: dict[str, User]) -> Iterator[LogIn]:
    """`log_in("principal")` is a page of theirs; further words are Playwright's for a context.
    Whatever the browser complains about fails the test, unless it is told to expect that.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(name: str = "", *, quiet: bool = False, **options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        if name:
            context.add_cookies([_cookie(people[name], live_server.url)])
        page = context.new_page()
        page.set_default_timeout(10_000)
        if not quiet:
            page.on("console", lambda said: _note(complaints, said.type, said.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _note(complaints: list[str], kind: str, text: str) -> None:
    """A refusal's status is reported as an error, and so is a poll given up for a form: neither
    is a fault of the page.
    """
    expected = (
        "the server responded with a status of 4",
        "htmx:afterRequest",
        "htmx:sendAbort",
        "Response Status",
    )
    if kind == "error" and not any(words in text for words in expected):
        complaints.append(text)


def _cookie(user: User, url: str) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    return {"name": "dalhc", "value": client.cookies["dalhc"].value, "url": url}
