"""`POST /task` and its neighbours, row by row (contract §5, F11-F17)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from processes.models import Event, Process
from tests.files import Journals
from tests.making import make_process

# Exactly as a DAL client sends it, with what serde leaves out and what it fills in.
DAL: dict[str, Any] = {
    "task_id": "", "description": "Sort the post", "priority": "", "requester_id": "",
    "sub_tasks": None, "include_dal_summary": None, "dal_file": None, "working_root": None,
}  # fmt: skip


@pytest.fixture
def send(runtime):
    """POST to the root with the runtime's key; the status and the body."""

    def post(path: str, body: Any, **headers: str) -> tuple[int, Any]:
        reply = Client().post(
            path, body, content_type="application/json", headers=runtime._headers | headers
        )
        return reply.status_code, json.loads(reply.content)

    return post


@pytest.fixture
def get(runtime):
    return lambda path: Client().get(path, headers=runtime._headers)


def test_F11_a_process_id_makes_it_durable_and_the_reply_names_it(send, runtime):
    status, told = send("/task", {"description": "Sort", "process_id": "post-1"})
    assert (status, told["ok"], told["process_id"]) == (200, True, "post-1")
    assert told["task_id"].startswith("task_")
    process = runtime.get("/processes/post-1")
    assert (process["objective"], process["suspend_reason"]) == ("Sort", "opened")


def test_F11_a_process_that_is_there_is_linked_and_not_changed(send):
    made = make_process(id="post-1", steps=2)
    before = made.record
    assert send("/task", {"description": "And this", "process_id": "post-1"})[0] == 200
    assert made.record == before
    event = Event.objects.of("post-1").latest("seq")
    assert (event.kind, json.loads(event.data)["description"]) == ("task", "And this")


def test_F12_durable_mints_an_id(send):
    status, told = send("/task", {"description": "Sort", "durable": True})
    assert status == 200
    assert Process.objects.get().id == told["process_id"]


@pytest.mark.parametrize("more", [{}, {"durable": False}, {"durable": None}, {"wait": True}])
@pytest.mark.parametrize("path", ["/task", "/message"])
def test_F13_F14_without_either_nothing_is_kept_and_it_says_so(send, path, more):
    body = {"description": "Sort"} if path == "/task" else {"sender_id": "x", "content": "y"}
    if path == "/message":
        more = {name: value for name, value in more.items() if name != "wait"}
    status, told = send(path, body | more)
    assert (status, told["ok"], told["process_id"]) == (200, True, None)
    assert told["detail"].startswith("Nothing was kept")
    assert "result" not in told
    assert not Process.objects.exists() and not Event.objects.exists()


def test_F15_dals_own_bodies_are_taken(send):
    assert send("/task", DAL)[0] == 200
    whole = DAL | {
        "task_id": "t-1", "priority": "high", "requester_id": "host", "durable": True,
        "sub_tasks": ["a", "b"], "include_dal_summary": True, "dal_file": "main.dal",
        "working_root": "/srv/x",
    }  # fmt: skip
    _, told = send("/task", whole)
    assert told["task_id"] == "t-1"
    kept = json.loads(Event.objects.of(told["process_id"]).latest("seq").data)
    assert kept == whole
    message = {
        "sender_id": "mia",
        "content": "hello",
        "message_type": "user",
        "objective": None,
    }
    assert send("/message", message)[0] == 200


def test_a_message_opens_what_it_is_for(send):
    body = {"sender_id": "mia", "content": "Hello?", "objective": "Answer mia", "durable": True}
    _, told = send("/message", body)
    assert Process.objects.get().objective == "Answer mia"
    assert json.loads(Event.objects.latest("seq").data)["content"] == "Hello?"
    assert told["process_id"] == Process.objects.get().id


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid_request"),
        ({"description": " "}, 422, "objective_empty"),
        ({"description": "x", "process_id": "a/b"}, 422, "invalid_process_id"),
        ({"description": "x", "durable": "yes"}, 422, "invalid_request"),
        ({"description": "x", "working_root": "é" * 2_049}, 422, "invalid_request"),
        ({"description": "x", "model": "m"}, 422, "extra_field"),
        ({"description": "x", "process_id": "theirs"}, 409, "process_exists"),
        ({"description": "x", "process_id": "ended"}, 409, "process_terminal"),
    ],
)
def test_F16_every_refusal_is_json_with_error_and_code(send, body, status, code):
    make_process(id="theirs", agent="painter")
    make_process(id="ended", ended="completed")
    events = Event.objects.count()
    got, told = send("/task", body)
    assert (got, told["code"]) == (status, code)
    assert told["error"] == told["title"]
    assert Event.objects.count() == events


def test_F16_without_a_key_it_is_json_too(db):
    for path in ("/task", "/message"):
        reply = Client().post(path, DAL, content_type="application/json")
        assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")
    for path in ("/status", "/health"):
        assert Client().get(path).json()["error"]
    assert Client().get("/task").status_code in {401, 405}


def test_F16_a_persons_key_opens_nothing(person):
    reply = Client().post(
        "/task", {"description": "x", "durable": True}, content_type="application/json",
        headers=person._headers,
    )  # fmt: skip
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


def test_F17_the_same_key_is_the_same_task(send):
    body = {"description": "Sort", "durable": True}
    first = send("/task", body, **{"Idempotency-Key": "k1"})
    assert send("/task", body, **{"Idempotency-Key": "k1"}) == first
    assert Process.objects.count() == 1
    status, told = send("/task", body | {"priority": "low"}, **{"Idempotency-Key": "k1"})
    assert (status, told["code"]) == (422, "idempotency_conflict")


def test_F06_switched_off_a_durable_task_says_so(send, settings, monkeypatch):
    monkeypatch.setattr(settings.ENVIRONMENT, "persist", "false")
    status, told = send("/task", {"description": "Sort", "durable": True})
    assert (status, told["code"]) == (503, "persistence_disabled")
    assert send("/task", {"description": "Sort"})[0] == 200
    assert not Process.objects.exists()


def test_what_files_own_is_not_given_a_task(send, tmp_path):
    there = Journals(tmp_path / "journals")
    made = there.golden("running")
    Process.objects.filter(id=made.id).update(agent="tidier")
    status, told = send("/task", {"description": "x", "process_id": made.id})
    assert (status, told["code"]) == (409, "owned_by_files")


def test_reading_takes_nothing_away(send, get):
    send("/task", {"description": "Sort", "durable": True})
    make_process(running=True)
    make_process(question="Which?")
    make_process(agent="painter", running=True)
    told = get("/status").json()
    assert told == {
        "id": "tidier", "name": "tidier", "type": "runtime", "status": "active",
        "processes": {"opened": 1, "running": 1, "suspended": 1},
    }  # fmt: skip
    assert get("/status").json() == told
    assert get("/health").json() == {"status": "ok"}
    assert get("/status?x=1").status_code == 422
