"""Idempotency-Key: one act, one reply, repeated; and only successes are kept."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from dalhc.clock import at, now_ms
from dalhc.db import writer
from processes.api import once
from processes.models import IdempotentReply, Process, Step
from tests.processes.api.callers import Caller, code, everything, step

BODY = {"objective": "Tidy"}


def test_the_same_request_again_is_the_same_reply(runtime):
    first = runtime.post("processes", BODY, Idempotency_Key="k1")
    before = everything()
    again = runtime.post("processes", BODY, Idempotency_Key="k1")
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    assert (again["ETag"], again["Location"]) == (first["ETag"], first["Location"])
    assert everything() == before
    assert Process.objects.count() == 1


def test_the_reply_is_the_first_one_also_when_the_process_has_moved_on(runtime):
    made = runtime.open(start=False)
    path = f"processes/{made['id']}"
    first = runtime.post(f"{path}/resume", {}, Idempotency_Key="go").json()
    runtime.post(f"{path}/steps", step())
    assert runtime.post(f"{path}/resume", {}, Idempotency_Key="go").json() == first


@pytest.mark.parametrize("body", [{"objective": "Else"}, b'{"objective":  "Tidy"}', b""])
def test_another_body_is_a_conflict(runtime, body):
    runtime.post("processes", BODY, Idempotency_Key="k1")
    before = everything()
    refused = runtime.post("processes", body, Idempotency_Key="k1")
    # What cannot be a request at all is said first.
    assert code(refused) in {(422, "idempotency_conflict"), (422, "invalid_request")}
    assert everything() == before


def test_a_key_belongs_to_one_caller_and_one_address(runtime, other, mia):
    one = runtime.post("processes", BODY, Idempotency_Key="k1").json()
    two = other.post("processes", BODY, Idempotency_Key="k1").json()
    assert one["id"] != two["id"]
    for made, caller in ((one, runtime), (two, other)):
        reply = caller.post(f"processes/{made['id']}/resume", {}, Idempotency_Key="k1")
        assert reply.json()["result"] == "continue"
        assert "Idempotent-Replayed" not in reply
    assert IdempotentReply.objects.count() == 4


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_an_empty_or_too_long_key_is_refused(runtime, key):
    reply = runtime.post("processes", BODY, Idempotency_Key=key)
    assert code(reply) == (400, "invalid_idempotency_key")
    assert not Process.objects.exists()


@pytest.mark.parametrize("key", ["x", "x" * 255, "é", " a b ", '"quoted"'])
def test_any_other_key_will_do(runtime, key):
    ids = {runtime.post("processes", BODY, Idempotency_Key=key).json()["id"] for _ in range(2)}
    assert len(ids) == 1


def test_a_refusal_is_not_kept(runtime):
    made = runtime.open(start=False)
    path = f"processes/{made['id']}"
    refused = runtime.post(f"{path}/steps", step(), Idempotency_Key="s1")
    assert code(refused) == (409, "not_running")
    assert not IdempotentReply.objects.exists()
    runtime.post(f"{path}/resume")
    reply = runtime.post(f"{path}/steps", step(), Idempotency_Key="s1")
    assert reply.status_code == 201


def test_every_post_and_delete_takes_one(runtime, mia):
    made = runtime.open()
    path, stop = f"processes/{made['id']}", None
    calls = [
        (runtime, "POST", f"{path}/steps", step()),
        (runtime, "POST", f"{path}/lease", {"owner": "me"}),
        (runtime, "POST", f"{path}/heartbeat", {"lease_epoch": 1}),
        (runtime, "POST", f"{path}/release", {"lease_epoch": 1}),
        (runtime, "POST", f"{path}/suspend", {"reason": "guard", "lease_epoch": 1}),
    ]
    for caller, method, url, body in calls:
        replies = [caller.send(method, url, body, Idempotency_Key=url) for _ in range(2)]
        assert [reply.get("Idempotent-Replayed") for reply in replies] == [None, "true"]
        assert replies[0].json() == replies[1].json()
    stop = replies[0].json()["suspension"]
    decision = f"suspensions/{stop['id']}/decision"
    choice = {"action": "approve", "review_digest": stop["review_digest"]}
    for caller, method, url, body in [
        (mia, "POST", decision, choice), (mia, "DELETE", decision, None),
        (mia, "POST", f"{path}/stop", {"note": "no"}),
    ]:  # fmt: skip
        replies = [caller.send(method, url, body, Idempotency_Key=url) for _ in range(2)]
        assert replies[1]["Idempotent-Replayed"] == "true"
        assert replies[0].json() == replies[1].json()


def test_replies_are_kept_for_a_day_and_not_for_ever(runtime, monkeypatch):
    monkeypatch.setattr(once.secrets, "randbelow", lambda _: 0)
    with at(now_ms() - 25 * 3_600_000):
        old = runtime.post("processes", BODY, Idempotency_Key="day").json()
    with at(now_ms() - 72 * 3_600_000):
        runtime.post("processes", BODY, Idempotency_Key="older")
    runtime.post("processes", BODY, Idempotency_Key="new")
    assert IdempotentReply.objects.count() == 2
    assert runtime.post("processes", BODY, Idempotency_Key="day").json() == old


@pytest.mark.django_db(transaction=True)
def test_a_concurrent_twin_waits_and_gets_the_same_reply(runtime):
    made = runtime.open()
    barrier, replies = threading.Barrier(16), []

    def send() -> None:
        caller = Caller(runtime.key)
        barrier.wait()
        path = f"processes/{made['id']}/steps"
        replies.append(caller.post(path, step(success=False), Idempotency_Key="twin"))
        connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(16)]
    writer.start()
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    finally:
        writer.stop()
    assert [reply.status_code for reply in replies] == [201] * 16
    assert {reply.content for reply in replies} == {replies[0].content}
    assert sum("Idempotent-Replayed" in reply for reply in replies) == 15
    assert Step.objects.count() == 1
