"""What every request carries, and how every refusal reads."""

from __future__ import annotations

import json
import logging

import httpx2
import pytest

from dalhc.client import Client, DalhcError, NotFound, Unauthorized
from tests.dalhc.client.replay import HEAD, KEY, STEP, SUSPENSION, problem, reply, server


def test_the_key_travels_as_a_bearer():
    at = server(reply(HEAD))
    at.client().get("p1")
    assert at.last.headers["authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_no_repr_no_log_and_no_error(caplog):
    caplog.set_level(logging.DEBUG)
    at = server(problem(401, "unauthorized"))
    client = at.client()
    with pytest.raises(Unauthorized) as caught:
        client.get("p1")
    said = f"{client!r} {client._wire!r} {caught.value!r} {caught.value} {caplog.text}"
    assert KEY not in said
    assert KEY.split("_")[2] not in said


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "käy"])
def test_a_key_that_is_no_word_is_refused_at_once(key):
    with pytest.raises(ValueError, match="A key is a word"):
        Client("http://127.0.0.1:8000", key)


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://host", "http://", "/api"])
def test_an_address_without_scheme_or_host_is_refused_at_once(url):
    with pytest.raises(ValueError, match="is no address"):
        Client(url, KEY)


def test_every_post_gets_an_idempotency_key_of_its_own():
    at = server(reply({"record": HEAD, "suspension": SUSPENSION}))
    client = at.client()
    client.suspend("p1", "ask_user", question="Which?")
    client.suspend("p1", "ask_user", question="Which?")
    keys = [request.headers["idempotency-key"] for request in at.requests]
    assert len(set(keys)) == 2


def test_a_retry_sends_the_same_idempotency_key_and_body():
    at = server(problem(503, "busy"), reply({"record": HEAD, "suspension": SUSPENSION}))
    at.client().suspend("p1", "ask_user", question="Which?")
    first, second = at.requests
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.content == second.content


def test_a_step_relies_on_its_own_key():
    at = server(reply(STEP, 201))
    at.client().append("p1", "run", {"cmd": "ls"})
    assert "idempotency-key" not in at.last.headers


def test_a_failed_step_keeps_its_attempt_id_when_sent_again():
    at = server(httpx2.ReadError("lost"), reply(STEP | {"success": False}, 201))
    at.client().append("p1", "run", {}, success=False)
    first, second = (json.loads(request.content)["attempt_id"] for request in at.requests)
    assert first == second
    assert len(first) == 32


def test_bodies_are_utf8_json_unescaped():
    at = server(reply(STEP, 201))
    at.client().append("p1", "write", {"text": "hé"}, result_digest="naïve")
    assert at.last.headers["content-type"] == "application/json"
    assert "naïve".encode() in at.last.content


def test_what_json_cannot_hold_is_refused_before_it_is_sent():
    at = server(reply(STEP, 201))
    with pytest.raises(ValueError, match="Out of range float values"):
        at.client().append("p1", "run", {"x": float("nan")})
    assert not at.requests


def test_a_problem_becomes_an_error_with_all_it_says():
    at = server(
        problem(
            409,
            "already_answered",
            detail="Mia has decided this.",
            current={"who": "mia"},
            request_id="r-7",
            errors=[{"pointer": "/answer", "detail": "x"}],
        )
    )
    with pytest.raises(DalhcError) as caught:
        at.client().suspension("s1")
    error = caught.value
    assert (error.code, error.status, error.request_id) == ("already_answered", 409, "r-7")
    assert error.current == {"who": "mia"}
    assert error.errors[0]["pointer"] == "/answer"
    assert str(error) == "Mia has decided this. (already_answered)"


def test_a_page_of_a_proxy_is_an_error_too():
    at = server(httpx2.Response(404, content=b"<html>lost</html>"))
    with pytest.raises(NotFound) as caught:
        at.client().get("p1")
    assert caught.value.code == "http_404"


def test_a_success_that_is_not_json_is_an_error():
    at = server(httpx2.Response(200, content=b"<html>hello</html>"))
    with pytest.raises(DalhcError, match="not JSON"):
        at.client().get("p1")


def test_a_redirect_is_not_followed_with_the_key():
    at = server(httpx2.Response(302, headers={"Location": "http://elsewhere.example/"}))
    with pytest.raises(DalhcError) as caught:
        at.client().get("p1")
    assert caught.value.code == "http_302"
    assert len(at.requests) == 1


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_leads_nowhere_else(id):
    at = server(reply(HEAD))
    with pytest.raises(DalhcError, match="is no id"):
        at.client().get(id)
    assert not at.requests


def test_odd_characters_of_a_path_are_quoted():
    at = server(reply({"sha256": "0" * 64}, 201))
    at.client().put_artifact("p1", "a b/ü?#.txt", b"x")
    assert at.last.url.raw_path == b"/api/v1/processes/p1/artifacts/a%20b/%C3%BC%3F%23.txt"


def test_a_proxy_of_the_environment_never_stands_before_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:1")
    local = Client("http://127.0.0.1:8000", KEY)
    remote = Client("http://dalhc.example", KEY)
    assert not local._wire._http.trust_env
    assert remote._wire._http.trust_env


def test_a_long_poll_may_take_its_wait_longer():
    at = server(reply({"next_action": "continue"}))
    at.client().next("p1", wait=25)
    assert at.last.url.params["wait"] == "25"
    assert at.last.extensions["timeout"]["read"] == 30.0 + 25
    assert at.last.extensions["timeout"]["connect"] == 30.0
