"""Every page as everyone, by every method: what is not in the table does not answer (T8, T18,
T21).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dalhc.http.requests import is_api
from processes import services
from processes.models import Notice, Recipient
from tests.descriptors.making import asleep
from tests.making import append, decide, make_process
from tests.processes.api.conftest import ADMIN, agent_key, person_key
from tests.processes.views.conftest import logged_in

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "NONSENSE")
LOGGED_IN = ("principal", "reviewer", "admin")
# Keys are for the API: at a page they are nobody.
STRANGERS = ("nobody", "runtime", "another runtime", "principal's key", "admin's key", "stale")

type Table = dict[str, tuple[str, str]]

# Route, and who may GET and who may POST: p(rincipal), r(eviewer), a(dmin), n(obody).
TABLE: Table = {
    "": ("pra", ""),
    "since/<slug:marker>/": ("pra", ""),
    "several/": ("pra", ""),
    "several/seen/": ("", "p"),
    "several/done/": ("", "p"),
    "running/": ("pra", ""),
    "settled/": ("pra", ""),
    "search/": ("pra", ""),
    "audit/": ("pra", ""),
    "artifacts/": ("pra", ""),
    "cycles/": ("pra", ""),
    "processes/<process:process_id>/compare/": ("pra", ""),
    "processes/<process:process_id>/": ("pra", ""),
    "processes/<process:process_id>/since/<int:revision>/": ("pra", ""),
    "processes/<process:process_id>/decision/": ("", "p"),
    "processes/<process:process_id>/draft/": ("", "p"),
    "processes/<process:process_id>/draft/forget/": ("", "pra"),  # one's own
    "processes/<process:process_id>/diff/": ("", "pra"),
    "processes/<process:process_id>/decision/ring/": ("", "p"),
    "processes/<process:process_id>/decision/back/": ("", "p"),
    "processes/<process:process_id>/claim/": ("", "p"),
    "processes/<process:process_id>/release/": ("", "p"),
    "processes/<process:process_id>/reassign/": ("", "p"),
    "processes/<process:process_id>/snooze/": ("", "p"),
    "processes/<process:process_id>/stop/": ("", "p"),
    "processes/<process:process_id>/artifacts/": ("pra", ""),
    "processes/<process:process_id>/artifacts/<path:path>": ("pra", ""),
    "processes/<process:process_id>/turns/": ("pra", ""),
    "processes/<process:process_id>/events/": ("pra", ""),
    "processes/<process:process_id>/raw/": ("pra", ""),
    "processes/<process:process_id>/passport.html": ("pra", ""),
    "processes/<process:process_id>/journal.json": ("pra", ""),
    "keys/": ("a", "a"),
    "keys/<int:key_id>/revoke/": ("", "a"),
    "notices/": ("a", "a"),
    "notices/<int:recipient_id>/remove/": ("", "a"),
    "notices/<slug:notice_id>/again/": ("", "a"),
    "people/": ("a", "a"),
    "people/<int:user_id>/role/": ("", "a"),
    "people/<int:user_id>/password/": ("", "a"),
    "people/<int:user_id>/active/": ("", "a"),
    "status/": ("a", ""),
    "patterns/": ("pra", ""),
    "sleepers/": ("pra", ""),
    "sleepers/<session:session_id>/": ("pra", ""),
    "sleepers/<session:session_id>/wake/": ("", "p"),
    "login/": ("n", "n"),
    "logout/": ("", "npra"),
    "theme/": ("", "npra"),
    "healthz": ("npra", ""),
    "readyz": ("npra", ""),
}


@dataclass
class World:
    """What there is to reach, and who walks."""

    people: dict[str, Client]
    addresses: dict[str, str]
    forms: dict[str, dict[str, Any]]


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern) and not is_api(f"/{route}"):
            yield route


def test_every_page_has_a_row() -> None:
    assert sorted(routes()) == sorted(TABLE)


@pytest.fixture
def world(db: None, tmp_path: Any, settings: Any) -> World:
    settings.DATA_DIR = tmp_path
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return World(_people(), *_places())


def _people() -> dict[str, Client]:
    groups = {"principal": "principals", "reviewer": "reviewers", "admin": ""}
    found = {
        name: logged_in(name, group, is_superuser=name == "admin")
        for name, group in groups.items()
    }
    keys = {
        "runtime": agent_key("tidier"),
        "another runtime": agent_key("painter"),
        "principal's key": person_key("mia", "principals"),
        "admin's key": person_key("ada", scopes=("read", "decide", "admin")),
    }
    User.objects.filter(username="ada").update(is_superuser=True)
    for name, key in keys.items():
        found[name] = Client(headers={"Authorization": f"Bearer {key}"})
    stale = logged_in("leaver", "principals")
    User.objects.filter(username="leaver").update(is_active=False)
    return found | {"nobody": Client(), "stale": stale}


def _places() -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """An address for each route, and what is sent there by someone who may."""
    asks, runs = make_process(question="Which?"), make_process(running=True)
    answered = make_process(question="Which?")
    decide(answered, answer="eu")
    append(runs)
    _artifact(runs)
    sleeps, spare = asleep(), User.objects.create_user("spare")
    key, _ = services.issue_key("spare", agent="spare", by=ADMIN)
    to = Recipient.objects.create(
        kind="email", address="spare@dalhc.example", by="tests", created_at_ms=1
    )
    notice = Notice.objects.create(
        id="notice-1", recipient=to, suspension_id=asks.suspension_id, kind="waiting",
        body="{}", status="failed",
        next_at_ms=1, at_ms=1,
    )  # fmt: skip
    stop = {"suspension_id": asks.suspension_id}
    digest = services.review_digest(asks.stop)
    ids = {
        "slug:marker": "0", "int:revision": "1", "path:path": "a.txt",
        "session:session_id": sleeps.id, "int:key_id": str(key.id),
        "int:recipient_id": str(to.id), "slug:notice_id": notice.id,
        "int:user_id": str(spare.id),
    }  # fmt: skip
    own = {"stop/": runs.id, "artifacts/<path:path>": runs.id, "decision/back/": answered.id,
           "decision/ring/": answered.id, "diff/": asks.id}  # fmt: skip
    addresses = {}
    for route in TABLE:
        tail = route.partition("<process:process_id>/")[2]
        ids["process:process_id"] = own.get(tail, asks.id)
        addresses[route] = "/" + _filled(route, ids)
    back = {"suspension_id": answered.suspension_id}
    forms = {
        "decision/": stop | {"action": "answer", "answer": "eu", "review_digest": digest},
        "draft/": stop | {"action": "answer", "answer": "e", "typed_at": "1"},
        "draft/forget/": stop, "diff/": stop, "claim/": stop, "release/": stop,
        "snooze/": stop | {"until": ""},
        "reassign/": stop | {"assignees": ""}, "decision/back/": back, "decision/ring/": back,
        "stop/": {"note": "enough"},
        "several/seen/": {"action": "decline", "id": asks.suspension_id, "note": "no"},
        "several/done/": {"action": "decline", "item": f"{asks.suspension_id}:{digest}",
                          "note": "no"},
    }  # fmt: skip
    return addresses, forms


def _artifact(made: Any) -> None:
    import io

    services.put_artifact(made.id, "a.txt", io.BytesIO(b"a"), by=made.by)


def _filled(route: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        route = route.replace(f"<{name}>", value)
    assert "<" not in route
    return route


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside never happened."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def ask(world: World, route: str, who: str, method: str) -> Any:
    tail = route.partition("<process:process_id>/")[2] or route
    form = world.forms.get(tail, {}) if method == "POST" else {}
    client, address = world.people[who], world.addresses[route]
    if method in {"GET", "HEAD", "POST"}:
        return getattr(client, method.lower())(address, form)
    return client.generic(method, address)


def answers(reply: Any) -> bool:
    """Something other than: log in, you may not, there is nothing, not by this method."""
    leads_to_login = reply.status_code == 302 and "/login/?next=" in reply["Location"]
    return not leads_to_login and reply.status_code not in {401, 403, 404, 405}


def wrong(world: World, route: str, who: str, method: str) -> str:
    """What is not as the table says; empty when all is."""
    reads, writes = TABLE[route]
    letter = who[0] if who in LOGGED_IN else "n"
    if route == "login/" and letter != "n":
        return ""  # whoever is logged in is led home, by whatever method
    expected = letter in {"GET": reads, "HEAD": reads, "POST": writes}.get(method, "")
    with undone():
        reply = ask(world, route, who, method)
        for close in reply._resource_closers:  # of a file; closing all would end the database
            close()
    as_told = answers(reply) is expected and reply.status_code < 500
    if letter == "n" and not expected:  # and never a word on what there is
        as_told = as_told and reply.status_code in {302, 401, 405}
    return "" if as_told else f"{who} {method} /{route}: {reply.status_code}"


def test_a_page_answers_whom_the_table_names_and_nobody_else(world: World) -> None:
    walks = [
        (route, who, method)
        for route in TABLE
        for who in (*LOGGED_IN, *STRANGERS)
        for method in (METHODS if who in {"principal", "nobody"} else ("GET", "POST"))
    ]
    found = [said for walk in walks if (said := wrong(world, *walk))]
    assert found == []


def test_nothing_is_taken_without_the_token_of_a_page(world: World) -> None:
    found = []
    for route in (one for one in TABLE if TABLE[one][1]):
        for who in (*LOGGED_IN, "nobody"):
            world.people[who].handler.enforce_csrf_checks = True
            world.people[who].cookies["dalhc-csrf"] = "x" * 32
            with undone():
                reply = ask(world, route, who, "POST")
            led_away = reply.status_code == 302 and "/login/?next=" in reply["Location"]
            if not led_away and reply.status_code != 403:
                found.append((route, who, reply.status_code))
    assert found == []
