"""The API by every method, as everyone: what no row names does not answer, and another's object
is one that is not there (T9, T18).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from dalhc.http.requests import is_api
from tests.processes.api.callers import Caller, everything
from tests.processes.api.test_auth import ROUTES, sleep
from tests.processes.views.conftest import logged_in

BROWSER = Client()  # one for all, for it loads everything there is
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "NONSENSE")
OPEN_TO_ALL = {"api/v1/openapi.json"}
IDS = {
    "<pid:process_id>": "runs",
    "<sid:suspension_id>": "susp_none",
    "<session:session_id>": "runs",
    "^processes/(?P<process_id>[A-Za-z0-9._-]{1,80})/artifacts/(?P<path>.+)\\Z": (
        "processes/runs/artifacts/a.txt"
    ),
}


def routes(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern) and is_api(f"/{route}"):
            yield route


def address(route: str) -> str:
    for name, value in IDS.items():
        route = route.replace(name, value)
    assert "<" not in route, route
    return f"/{route}"


def row_of(path: str) -> str:
    """The address a row of the matrix stands for."""
    filled = path.format(asks="susp_none", decided="susp_none", delivered="susp_none")
    return filled if filled.startswith("/") else f"/api/v1/{filled}"


def named() -> dict[str, set[str]]:
    """By the view they reach: the methods that have a row."""
    found: dict[str, set[str]] = {}
    for method, path, _, _ in ROUTES:
        found.setdefault(resolve(row_of(path)).func.view_class.__name__, set()).add(method)
    return found


def view_of(route: str) -> str:
    return str(resolve(address(route)).func.view_class.__name__)


ALL = sorted(set(routes()) - OPEN_TO_ALL)


def test_every_address_has_a_row() -> None:
    assert len(ALL) > 40
    assert {view_of(route) for route in ALL} == set(named())


@pytest.fixture
def everyone(
    runtime: Caller, other: Caller, mia: Caller, rob: Caller, ada: Caller
) -> dict[str, Caller]:
    runtime.open(id="runs")
    return {"own": runtime, "another": other, "principal": mia, "reviewer": rob, "admin": ada}


def test_a_method_without_a_row_is_none(everyone: dict[str, Caller]) -> None:
    before, found = everything(), []
    for route in ALL:
        allowed = named()[view_of(route)]
        for method in METHODS:
            if BROWSER.generic(method, address(route)).status_code != 401:
                found.append((route, method, "nobody"))
            if method in allowed or (method == "HEAD" and "GET" in allowed):
                continue
            for who in ("own", "principal") if method != "NONSENSE" else everyone:
                if not _is_refused(everyone[who], method, route, allowed):
                    found.append((route, method, who))
    assert found == []
    assert everything() == before


def _is_refused(caller: Caller, method: str, route: str, allowed: set[str]) -> bool:
    """With what there is instead, and nothing for a page of another origin."""
    headers = {"Authorization": f"Bearer {caller.key}", "Origin": "https://evil.example"}
    told = BROWSER.generic(method, address(route), headers=headers)
    expected = 204 if method == "OPTIONS" else 405
    shared = [name for name in told.headers if name.startswith("Access-Control")]
    named = set(told["Allow"].split(", ")) - {"OPTIONS", "HEAD"}
    return told.status_code == expected and named == allowed and not shared


def test_no_login_counts_at_the_api(db: None) -> None:
    browsers = [logged_in("principal", "principals"), logged_in("admin", is_superuser=True)]
    for method, path, _, _ in ROUTES:
        for browser in browsers:
            told = browser.generic(method, row_of(path), b"{}", "application/json")
            assert told.status_code == 401, path
            assert told["Content-Type"] == "application/problem+json"
            assert not told.cookies


def test_anothers_is_one_that_is_not_there(runtime: Caller, other: Caller, mia: Caller) -> None:
    """Word for word, so that nobody learns which ids there are."""
    for name in ("runs", "leased", "decided", "asks", "sleeps", "woken"):
        runtime.open(id=name)
    runtime.put("processes/runs/artifacts/a.txt", b"a")
    stops = {name: runtime.ask(name)["id"] for name in ("asks", "decided")}
    stops["delivered"] = stops["decided"]
    whole = sleep(runtime, "sleeps", 3 * 10**12)
    tried = [row for row in ROUTES if row[3][1] == 404]
    assert len(tried) > 25
    for method, path, told, _ in tried:
        body: Any = (
            whole if told == "sleep" else _commit_of(whole) if told == "commit" else told
        )
        theirs = other.send(method, path.format(**stops), body)
        absent = path.format(**dict.fromkeys(stops, "susp_none"))
        for name in ("runs", "leased", "decided", "sleeps", "woken"):
            absent = absent.replace(f"/{name}", "/is-not-there")
        if isinstance(body, dict) and "session_id" in body:
            body = body | {"session_id": "is-not-there"}
        nothing = other.send(method, absent, body)
        assert theirs.status_code == nothing.status_code == 404, path
        assert theirs.json() | {"request_id": ""} == nothing.json() | {"request_id": ""}


def _commit_of(descriptor: dict[str, Any]) -> dict[str, Any]:
    names = ("wake_conditions", "last_committed")
    return {name: descriptor[name] for name in names} | {"lease_epoch": 1}


EXTRA = {
    "principal_answer": "yes", "state": "running", "approved_by": 1, "rev": 1, "seq": 1,
    "steps_used": 0, "created_ms": 1, "owner_id": "x", "is_staff": True, "agent": "painter",
    "__proto__": {}, "_connector": "OR 1=1",
}  # fmt: skip
# A journal file keeps what we do not know (contract F21), and a DAL host passes over it.
LENIENT = {"import", "/task", "/message"}


def test_no_body_sets_what_is_not_its_own(
    runtime: Caller, mia: Caller, everyone: dict[str, Caller]
) -> None:
    """T19, T20: every body of every operation, with fields that a row or another body has."""
    asks = runtime.open(id="asks")["id"]
    stop = runtime.ask(asks)
    found, tried = [], 0
    for method, path, told, statuses in ROUTES:
        choice = {"action": "answer", "answer": "x", "review_digest": stop["review_digest"]}
        body = choice if told == "choice" else told
        if not isinstance(body, dict) or path in LENIENT:
            continue
        caller = runtime if statuses[0] < 400 else mia
        where = path.format(**dict.fromkeys(("asks", "decided", "delivered"), stop["id"]))
        for name, value in EXTRA.items():
            before = everything()
            reply = caller.send(method, where, body | {name: value})
            tried += 1
            if (reply.status_code, reply.json()["code"]) != (422, "extra_field"):
                found.append((method, path, name, reply.status_code))
            assert everything() == before, (path, name)
    assert tried > 200
    assert found == []
