"""Decisions over REST: the first wins, what was seen counts, until delivery one may undo."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from dalhc.db import writer
from processes.models import Decision, Suspension
from tests.processes.api.callers import Caller, code, everything, step
from tests.processes.api.conftest import person_key

CALL = {"tool": "sh", "args": {"cmd": "rm -rf build"}}
NOTHING = "0" * 64


@pytest.fixture
def made(runtime):
    return runtime.open()["id"]


@pytest.fixture
def asked(runtime, made):
    return runtime.ask(made, question="Which?")


@pytest.fixture
def proposed(runtime, made):
    return runtime.ask(made, reason="guard", proposed_action=CALL)


def test_an_answer_is_kept_and_the_process_stays_suspended(runtime, mia, made, asked):
    body = mia.decide(asked, answer="eu", note="as ever").json()
    assert (body["status"], body["can_decide"]) == ("answered", False)
    decision = body["decision"]
    assert (decision["action"], decision["answer"], decision["note"]) == (
        "answer",
        "eu",
        "as ever",
    )
    assert (decision["by"], decision["args"]) == ("principal:mia", None)
    head = runtime.get(f"processes/{made}").json()
    assert (head["state"], head["decided"], head["next_action"]) == (
        "suspended",
        True,
        "continue",
    )
    assert head["principal_answer"] is None and head["turns"] == []


def test_B22_the_same_decision_again_is_a_replay(mia, asked):
    first = mia.decide(asked, answer="eu").json()
    before = everything()
    again = mia.decide(asked, answer="eu")
    assert (again.status_code, again.json()) == (200, first)
    assert everything() == before


def test_B22_another_one_is_told_who_was_first_and_what_they_said(mia, ben, asked):
    mia.decide(asked, answer="eu")
    before = everything()
    for caller, change in (
        (mia, {"answer": "us"}), (ben, {"answer": "eu"}), (ben, {"answer": "us"}),
        (ben, {"answer": "us", "revision": 0}),
        (ben, {"answer": "us", "review_digest": NOTHING}),
    ):  # fmt: skip
        refused = caller.decide(asked, **change)
        assert code(refused) == (409, "already_answered")
        current = refused.json()["current"]
        assert (current["who"], current["answer"]) == ("principal:mia", "eu")
        assert current["when_ms"] > 0
    assert everything() == before


def test_a_decision_is_about_what_was_seen(mia, asked):
    before = everything()
    for change in ({"review_digest": NOTHING}, {"revision": 1}, {"revision": 3}):
        refused = mia.decide(asked, answer="eu", **change)
        assert code(refused) == (409, "stale_review")
        assert refused.json()["current"] == {"state": "suspended", "revision": 2}
    assert everything() == before
    assert mia.decide(asked, answer="eu", revision=2).status_code == 200


@pytest.mark.parametrize(
    "digest", [None, "", "x", "A" * 64, "0" * 63, "0" * 65, 1, "0" * 64 + "\n"]
)
def test_a_decision_names_what_was_seen(mia, asked, digest):
    assert code(mia.decide(asked, answer="eu", review_digest=digest)) == (
        422,
        "invalid_request",
    )
    bare = mia.post(f"suspensions/{asked['id']}/decision", {"action": "answer", "answer": "eu"})
    assert bare.json()["errors"][0]["pointer"] == "/review_digest"
    assert not Decision.objects.exists()


def test_a_decision_is_taken_back_until_it_is_delivered(runtime, mia, ben, made, asked):
    path = f"suspensions/{asked['id']}/decision"
    assert code(mia.delete(path)) == (409, "nothing_decided")
    mia.decide(asked, answer="eu")
    back = mia.delete(path).json()
    assert (back["status"], back["decision"], back["can_decide"]) == ("open", None, True)
    assert runtime.post(f"processes/{made}/resume").json()["result"] == "needs_answer"
    assert ben.decide(back, answer="us").status_code == 200
    body = runtime.post(f"processes/{made}/resume").json()
    assert body["decision"]["answer"] == "us"
    before = everything()
    assert code(ben.delete(path)) == (409, "not_taken_back")
    assert everything() == before
    assert Decision.objects.filter(live=False).get().answer == "eu"


def test_taking_back_needs_no_body(mia, asked):
    mia.decide(asked, answer="eu")
    path = f"suspensions/{asked['id']}/decision"
    assert code(mia.send("DELETE", path, {"why": "x"})) == (422, "invalid_request")
    assert mia.send("DELETE", path, {}).status_code == 200


def test_a_declined_question_goes_on_and_is_told_why(runtime, mia, made, asked):
    assert mia.decide(asked, "decline", note="Not now.").json()["status"] == "declined"
    body = runtime.post(f"processes/{made}/resume").json()
    assert (body["result"], body["decision"]["action"]) == ("continue", "decline")
    assert body["record"]["principal_answer"] == "Not now."
    turns = runtime.get(f"processes/{made}/turns").json()["results"]
    assert turns[-1]["content"] == "Not now."


def test_an_approved_action_is_told_as_it_was_shown(runtime, mia, made, proposed):
    assert proposed["proposed_action"] == {"tool": "sh", "args": '{"cmd":"rm -rf build"}'}
    assert proposed["actions"] == ["approve", "edit", "deny", "answer", "stop"]
    mia.decide(proposed, "approve")
    decision = runtime.post(f"processes/{made}/resume").json()["decision"]
    assert (decision["action"], decision["args"]) == ("approve", None)
    assert runtime.post(f"processes/{made}/steps", {**CALL, "success": True}).status_code == 201


def test_an_edited_action_hands_over_the_edited_arguments(runtime, mia, made, proposed):
    edited = {
        "cmd": "ls",
        "n": 3544790567247868102,
        "f": 0.2345678901234568,
        "z": -0.0,
        "x": None,
    }
    mia.decide(proposed, "edit", args=edited)
    decision = runtime.post(f"processes/{made}/resume").json()["decision"]
    assert decision["args"] == (
        '{"cmd":"ls","f":0.2345678901234568,"n":3544790567247868102,"x":null,"z":-0.0}'
    )


def test_a_denied_action_is_refused_ever_after(runtime, mia, made, proposed):
    mia.decide(proposed, "deny", note="Keep the build.")
    body = runtime.post(f"processes/{made}/resume").json()
    assert (body["decision"]["action"], body["decision"]["note"]) == ("deny", "Keep the build.")
    before = everything()
    for args in (CALL["args"], '{"cmd":"rm -rf build"}'):
        refused = runtime.post(f"processes/{made}/steps", step(tool="sh", args=args))
        assert code(refused) == (409, "denied")
    batch = [step(1), step(tool="sh", args=CALL["args"])]
    assert code(runtime.post(f"processes/{made}/steps", batch)) == (409, "denied")
    assert everything() == before
    assert runtime.post(f"processes/{made}/steps", step(tool="sh")).status_code == 201


def test_a_denial_taken_back_denies_nothing(runtime, mia, made, proposed):
    mia.decide(proposed, "deny", note="No.")
    back = mia.delete(f"suspensions/{proposed['id']}/decision").json()
    mia.decide(back, "approve")
    runtime.post(f"processes/{made}/resume")
    reply = runtime.post(f"processes/{made}/steps", step(tool="sh", args=CALL["args"]))
    assert reply.status_code == 201


def test_a_stop_ends_the_process_with_its_reason(runtime, mia, made, asked):
    body = mia.decide(asked, "stop", note="Wrong folder.").json()
    assert body["status"] == "withdrawn"
    head = runtime.get(f"processes/{made}").json()
    assert (head["state"], head["outcome"]) == ("failed", "Wrong folder.")
    assert runtime.post(f"processes/{made}/resume").json()["result"] == "terminal"


REFUSED = [
    ("ask", {"action": "answer"}, "answer_empty"),
    ("ask", {"action": "answer", "answer": ""}, "answer_empty"),
    ("ask", {"action": "answer", "answer": " \n\u200b\u3164"}, "answer_empty"),
    ("ask", {"action": "answer", "answer": None}, "answer_empty"),
    ("ask", {"action": "answer", "answer": "x" * 8001}, "invalid_request"),
    ("ask", {"action": "answer", "answer": 1}, "invalid_request"),
    ("ask", {"action": "answer", "answer": "a", "args": {}}, "action_not_offered"),
    ("ask", {"action": "approve"}, "action_not_offered"),
    ("ask", {"action": "edit", "args": {}}, "action_not_offered"),
    ("ask", {"action": "deny", "note": "no"}, "action_not_offered"),
    ("ask", {"action": "decline"}, "note_required"),
    ("ask", {"action": "decline", "note": " "}, "note_required"),
    ("ask", {"action": "stop"}, "note_required"),
    ("ask", {"action": "stop", "note": "x" * 2001}, "invalid_request"),
    ("ask", {"action": "ignore"}, "invalid_request"),
    ("ask", {"action": "Answer", "answer": "a"}, "invalid_request"),
    ("ask", {"action": "answer", "answer": "a", "revision": -1}, "invalid_request"),
    ("ask", {"action": "answer", "answer": "a", "revision": "2"}, "invalid_request"),
    ("ask", {"action": "answer", "answer": "a", "by": "ada"}, "extra_field"),
    ("hold", {"action": "answer", "answer": " "}, "answer_empty"),
    ("hold", {"action": "decline", "note": "no"}, "action_not_offered"),
    ("hold", {"action": "approve", "answer": "a"}, "action_not_offered"),
    ("hold", {"action": "approve", "args": {}}, "action_not_offered"),
    ("hold", {"action": "edit"}, "invalid_args"),
    ("hold", {"action": "edit", "args": 1}, "invalid_args"),
    ("hold", {"action": "edit", "args": True}, "invalid_args"),
    ("hold", {"action": "edit", "args": "x" * 65537}, "invalid_args"),
    ("hold", {"action": "deny"}, "note_required"),
    ("plain", {"action": "deny", "note": "no"}, "action_not_offered"),
    ("plain", {"action": "edit", "args": {}}, "action_not_offered"),
    ("choose", {"action": "answer", "answer": "c"}, "answer_not_offered"),
    ("choose", {"action": "answer", "answer": "A"}, "answer_not_offered"),
    ("choose", {"action": "answer", "answer": "a "}, "answer_not_offered"),
]
STOPS = {
    "ask": {"reason": "ask_user", "question": "?"},
    "hold": {"reason": "guard", "proposed_action": CALL},
    "plain": {"reason": "unverified"},
    "choose": {"reason": "ask_user", "question": "?", "options": ["a", "b"]},
}


@pytest.mark.parametrize(("stop", "body", "expected"), REFUSED)
def test_a_decision_that_does_not_fit_is_refused(runtime, mia, made, stop, body, expected):
    waiting = runtime.ask(made, **STOPS[stop])
    before = everything()
    assert code(mia.decide(waiting, **body)) == (422, expected)
    assert everything() == before


def test_a_question_that_is_gone_cannot_be_answered(runtime, mia, made):
    stop = runtime.ask(made, reason="wall_clock")
    runtime.post(f"processes/{made}/resume")
    assert code(mia.decide(stop, "approve")) == (409, "not_suspended")
    assert Suspension.objects.get().status == "superseded"
    for unknown in ("susp_none", made, "..", "a" * 81, "x%00"):
        choice = {"action": "approve", "review_digest": NOTHING}
        assert mia.post(f"suspensions/{unknown}/decision", choice).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_twenty_who_answer_at_once_one_is_first_and_all_others_are_told(runtime):
    asked = runtime.ask(runtime.open()["id"])
    callers = [Caller(person_key(f"p{n}", "principals")) for n in range(20)]
    barrier, replies = threading.Barrier(20), []

    def answer(n: int, caller: Caller) -> None:
        barrier.wait()
        replies.append(caller.decide(asked, answer=f"{n}"))
        connections.close_all()

    threads = [threading.Thread(target=answer, args=pair) for pair in enumerate(callers)]
    writer.start()
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    finally:
        writer.stop()
    assert sorted(reply.status_code for reply in replies) == [200] + [409] * 19
    [won] = [reply.json()["decision"] for reply in replies if reply.status_code == 200]
    for reply in replies:
        if reply.status_code == 409:
            assert reply.json()["code"] == "already_answered"
            assert reply.json()["current"]["who"] == won["by"]
    assert Decision.objects.count() == 1
