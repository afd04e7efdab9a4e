"""Each method, and the request it makes: the verbs of api.md as they go over the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from dalhc.client import Client
from tests.dalhc.client.replay import HEAD, STEP, SUSPENSION, reply, server

DIGEST = "d" * 64
LEASE = {"process_id": "p1", "lease_epoch": 3, "owner": "me", "lease_until": None}
STOPPED = {"record": HEAD, "suspension": SUSPENSION}

VERBS: list[tuple[Callable[[Client], object], str, str, dict[str, Any], dict[str, Any]]] = [
    (
        lambda c: c.open("Tidy up", id="p1", cycle_phase="tidy"),
        "POST",
        "processes",
        {"objective": "Tidy up", "id": "p1", "cycle_phase": "tidy"},
        HEAD,
    ),
    (
        lambda c: c.open("Tidy up", start=True),
        "POST",
        "processes",
        {"objective": "Tidy up", "start": True},
        HEAD,
    ),
    (
        lambda c: c.append("p1", "run", "run:ls -la", result_digest="ok", artifacts=["a.txt"]),
        "POST",
        "processes/p1/steps",
        {
            "tool": "run",
            "args": "run:ls -la",
            "success": True,
            "result_digest": "ok",
            "artifacts": ["a.txt"],
        },
        STEP,
    ),
    (
        lambda c: c.append("p1", "run", {"a": 1}, effect="at_most_once", lease_epoch=3),
        "POST",
        "processes/p1/steps",
        {
            "tool": "run",
            "args": {"a": 1},
            "success": True,
            "result_digest": "",
            "effect": "at_most_once",
            "lease_epoch": 3,
        },
        STEP,
    ),
    (
        lambda c: c.suspend("p1", "ask_user", question="Which?", options=["a"], ask_key="k"),
        "POST",
        "processes/p1/suspend",
        {"reason": "ask_user", "question": "Which?", "options": ["a"], "ask_key": "k"},
        STOPPED,
    ),
    (
        lambda c: c.suspend(
            "p1", "guard", hold=True, proposed_action={"tool": "sh", "args": "{}"}, detail="why"
        ),
        "POST",
        "processes/p1/suspend",
        {
            "reason": "guard",
            "hold": True,
            "proposed_action": {"tool": "sh", "args": "{}"},
            "detail": "why",
        },
        STOPPED,
    ),
    (
        lambda c: c.resume("p1"),
        "POST",
        "processes/p1/resume",
        {},
        {"result": "continue", "record": HEAD, "decision": None},
    ),
    (
        lambda c: c.complete("p1", "All done."),
        "POST",
        "processes/p1/complete",
        {"final_text": "All done."},
        HEAD,
    ),
    (
        lambda c: c.fail("p1", "No disk.", lease_epoch=3),
        "POST",
        "processes/p1/fail",
        {"error": "No disk.", "lease_epoch": 3},
        HEAD,
    ),
    (
        lambda c: c.stop("p1", "Not now."),
        "POST",
        "processes/p1/stop",
        {"note": "Not now."},
        HEAD,
    ),
    (
        lambda c: c.lease("p1", "me", 30),
        "POST",
        "processes/p1/lease",
        {"owner": "me", "ttl_s": 30},
        LEASE,
    ),
    (
        lambda c: c.heartbeat("p1", 3),
        "POST",
        "processes/p1/heartbeat",
        {"lease_epoch": 3, "ttl_s": 60},
        LEASE,
    ),
    (
        lambda c: c.release("p1", 3),
        "POST",
        "processes/p1/release",
        {"lease_epoch": 3},
        LEASE,
    ),
    (
        lambda c: c.decide("s1", "answer", review_digest=DIGEST, answer="eu", revision=7),
        "POST",
        "suspensions/s1/decision",
        {"action": "answer", "review_digest": DIGEST, "answer": "eu", "revision": 7},
        SUSPENSION,
    ),
    (lambda c: c.ack("s1"), "POST", "suspensions/s1/ack", {}, SUSPENSION),
    (
        lambda c: c.nack("s1", "no such region"),
        "POST",
        "suspensions/s1/nack",
        {"error": "no such region"},
        SUSPENSION,
    ),
]


@pytest.mark.parametrize(("call", "verb", "path", "body", "answer"), VERBS)
def test_a_verb_is_one_request(call, verb, path, body, answer):
    at = server(reply(answer))
    call(at.client())
    assert at.last.method == verb
    assert at.last.url.path == f"/api/v1/{path}"
    assert at.body() == body


def test_a_record_is_read_whole_or_by_its_tail():
    at = server(reply(HEAD | {"steps": [STEP], "turns": [], "truncated": True}))
    record = at.client().get("p1", last_steps=5)
    assert at.last.url.params["steps"] == "tail:5"
    assert record.steps[0].result_digest == "done"
    assert record.truncated


def test_steps_are_read_page_after_page_by_seq():
    first = {"results": [STEP, STEP | {"seq": 2}], "next": "http://…"}
    at = server(reply(first), reply({"results": [STEP | {"seq": 3}], "next": None}))
    assert [step.seq for step in at.client().steps("p1")] == [1, 2, 3]
    assert [request.url.params.get("after") for request in at.requests] == [None, "2"]


def test_turns_and_events_are_read_the_same_way():
    turn = {"seq": 1, "role": "user", "content": "eu"}
    event = {"seq": 0, "kind": "open", "actor": "runtime:a", "at_ms": 5, "data": {"x": 1}}
    at = server(reply({"results": [turn], "next": None}))
    assert [turn.content for turn in at.client().turns("p1")] == ["eu"]
    at = server(reply({"results": [event], "next": None}))
    assert [event.data for event in at.client().events("p1", after=3)] == [{"x": 1}]
    assert at.last.url.params["after"] == "3"


def test_lists_follow_their_cursor_and_keep_their_filters():
    first = {"results": [HEAD], "next_cursor": "abc"}
    at = server(reply(first), reply({"results": [HEAD], "next_cursor": None}))
    found = list(at.client().list(state="running", held=False, cycle_phase="tidy"))
    assert len(found) == 2
    for request in at.requests:
        assert request.url.params["state"] == "running"
        assert request.url.params["held"] == "false"
        assert request.url.params["cycle_phase"] == "tidy"
    assert at.last.url.params["cursor"] == "abc"


def test_the_inbox_is_a_list_of_suspensions():
    at = server(reply({"results": [SUSPENSION], "next_cursor": None}))
    assert [stop.id for stop in at.client().suspensions(reason="ask_user")] == ["s1"]
    assert at.last.url.path == "/api/v1/suspensions"


def test_many_steps_go_in_one_request_each_failure_with_an_attempt():
    at = server(reply({"results": [STEP, STEP]}, 201))
    steps = [
        {"tool": "a", "args": {}, "success": True},
        {"tool": "b", "args": "x", "success": False, "result_digest": "no"},
    ]
    kept = at.client().append_many("p1", steps, lease_epoch=2)
    first, second = at.body()
    assert len(kept) == 2
    assert "attempt_id" not in first
    assert len(second["attempt_id"]) == 32
    assert first["lease_epoch"] == second["lease_epoch"] == 2


def test_an_artifact_is_sent_as_its_bytes():
    at = server(reply({"path": "r.md", "sha256": "0" * 64, "size": 3}, 201))
    assert at.client().put_artifact("p1", "out/r.md", b"abc", lease_epoch=4).size == 3
    assert at.last.method == "PUT"
    assert at.last.content == b"abc"
    assert at.last.headers["content-type"] == "application/octet-stream"
    assert at.last.url.params["lease_epoch"] == "4"


def test_bytes_come_back_as_they_are():
    at = server(lambda request: httpx2.Response(200, content=b"\xff\x00raw"))
    assert at.client().get_artifact("p1", "r.bin") == b"\xff\x00raw"
    assert at.client().journal("p1") == b"\xff\x00raw"
    assert at.last.url.path == "/api/v1/processes/p1/journal"


def test_taking_back_deletes_the_decision():
    at = server(reply(SUSPENSION))
    assert at.client().take_back("s1").status == "open"
    assert at.last.method == "DELETE"
    assert at.last.url.path == "/api/v1/suspensions/s1/decision"
    assert at.last.content == b""


def test_a_newer_server_may_say_more():
    at = server(reply({"next_action": "continue", "held": False, "mood": "sunny"}))
    assert not at.client().next("p1").waits


@pytest.mark.parametrize(
    ("action", "held", "decided", "waits"),
    [
        ("needs_answer", False, False, True),
        ("continue", True, False, True),
        ("continue", True, True, False),
        ("continue", False, False, False),
        ("terminal", False, False, False),
    ],
)
def test_a_process_waits_for_an_answer_or_while_it_is_held(action, held, decided, waits):
    at = server(reply({"next_action": action, "held": held, "decided": decided}))
    assert at.client().next("p1").waits is waits
