"""The inbox over REST, and a runtime's receipt."""

from __future__ import annotations

import pytest

from dalhc import clock
from processes.models import Process
from tests.making import make_process
from tests.processes.api.callers import code, everything, step

NOW = 1_790_000_000_000
REASONS = ("ask_user", "step_budget", "wall_clock", "guard", "unverified")


@pytest.fixture
def inbox(db):
    """One open suspension of every reason, oldest first; and processes that ask nobody."""
    for n, reason in enumerate(REASONS):
        with clock.at(NOW + n):
            question = "Which?" if reason == "ask_user" else None
            make_process(id=f"p-{reason}", reason=reason, question=question)
    make_process(id="not-started")
    make_process(id="runs", running=True)
    make_process(id="done", ended="completed")


def ids(reply):
    return [stop["process_id"] for stop in reply.json()["results"]]


@pytest.mark.usefixtures("inbox")
def test_the_inbox_is_what_waits_oldest_first(mia):
    reply = mia.get("suspensions?count=true")
    assert ids(reply) == [f"p-{reason}" for reason in REASONS]
    assert reply.json()["count"] == 5
    first = reply.json()["results"][0]
    assert (first["agent"], first["objective"]) == ("tidier", "Tidy the folder")
    assert (first["question"], first["status"]) == ("Which?", "open")
    assert (first["can_decide"], first["why_not"]) == (True, None)
    assert first["opened_at"].endswith("Z")
    assert mia.get(f"suspensions/{first['id']}").json() == first


@pytest.mark.usefixtures("inbox")
@pytest.mark.parametrize("reason", REASONS)
def test_the_inbox_by_reason(mia, reason):
    assert ids(mia.get(f"suspensions?reason={reason}")) == [f"p-{reason}"]


@pytest.mark.usefixtures("inbox")
def test_the_inbox_by_process_and_a_page_at_a_time(mia):
    assert ids(mia.get("suspensions?process_id=p-guard")) == ["p-guard"]
    assert ids(mia.get("suspensions?process_id=none")) == []
    seen, url = [], "/api/v1/suspensions?limit=2"
    while url:
        body = mia.get(url.removeprefix("http://testserver")).json()
        seen += [stop["process_id"] for stop in body["results"]]
        url = body["next"]
    assert seen == [f"p-{reason}" for reason in REASONS]


def test_what_is_decided_leaves_the_inbox_and_is_found_by_its_status(runtime, mia):
    made = runtime.open()
    stop = runtime.ask(made["id"])
    path, by_status = f"processes/{made['id']}", {}
    mia.decide(stop, answer="a")
    by_status["answered"] = ids(mia.get("suspensions?status=answered"))
    assert ids(mia.get("suspensions")) == []
    runtime.post(f"{path}/resume")
    by_status["delivered"] = ids(mia.get("suspensions?status=delivered"))
    runtime.post(f"{path}/steps", step())
    by_status["used"] = ids(mia.get("suspensions?status=used"))
    assert by_status == {status: [made["id"]] for status in ("answered", "delivered", "used")}
    used = mia.get(f"suspensions/{stop['id']}").json()
    assert (used["used_step"], used["can_decide"]) == (1, False)
    assert used["why_not"] == "This is no longer waiting."


@pytest.mark.usefixtures("inbox")
def test_each_caller_is_told_whether_it_may_decide(mia, rob, ada, runtime):
    said = {}
    for name, caller in {"mia": mia, "rob": rob, "ada": ada, "runtime": runtime}.items():
        stop = caller.get("suspensions?limit=1").json()["results"][0]
        said[name] = (stop["can_decide"], stop["why_not"])
    assert said == {
        "mia": (True, None),
        "rob": (False, "Only principals decide."),
        "ada": (False, "Only principals decide."),
        "runtime": (False, "A runtime cannot decide; a principal does."),
    }


def test_a_runtime_learns_the_decision_only_from_resume(runtime, mia):
    made = runtime.open()
    stop = runtime.ask(made["id"])
    mia.decide(stop, answer="the secret answer")
    for path in (
        f"suspensions/{stop['id']}", "suspensions?status=answered", f"processes/{made['id']}",
        f"processes/{made['id']}/next", "processes", f"processes/{made['id']}/turns",
        f"processes/{made['id']}/events", f"processes/{made['id']}/journal",
    ):  # fmt: skip
        assert b"the secret answer" not in b"".join(runtime.get(path))
    assert (
        mia.get(f"suspensions/{stop['id']}").json()["decision"]["answer"] == "the secret answer"
    )
    runtime.post(f"processes/{made['id']}/resume")
    shown = runtime.get(f"suspensions/{stop['id']}").json()
    assert shown["decision"]["answer"] == "the secret answer"


def test_an_ack_is_a_receipt_and_a_second_one_changes_nothing(runtime, mia):
    made = runtime.open()
    stop = runtime.ask(made["id"])
    path = f"suspensions/{stop['id']}/ack"
    assert code(runtime.post(path)) == (409, "nothing_decided")
    mia.decide(stop, answer="a")
    assert code(runtime.post(path)) == (409, "nothing_decided")
    runtime.post(f"processes/{made['id']}/resume")
    assert runtime.post(path).json()["status"] == "used"
    before = everything()
    assert runtime.post(path).json()["status"] == "used"
    assert everything() == before
    assert code(runtime.post(path, {"used": True})) == (422, "invalid_request")


def test_a_nack_tells_people_why_and_resume_hands_it_over_again(runtime, mia):
    made = runtime.open()
    stop = runtime.ask(made["id"])
    path = f"suspensions/{stop['id']}/nack"
    error = {"error": "That is no region."}
    assert code(runtime.post(path, error)) == (409, "nothing_decided")
    mia.decide(stop, answer="mars")
    first = runtime.post(f"processes/{made['id']}/resume").json()
    assert runtime.post(path, error).json()["nack_error"] == "That is no region."
    assert mia.get(f"suspensions/{stop['id']}").json()["nack_error"] == "That is no region."
    kinds = [one["kind"] for one in mia.get(f"processes/{made['id']}/events").json()["results"]]
    assert kinds[-1] == "nack"
    again = runtime.post(f"processes/{made['id']}/resume").json()
    assert again["decision"] == first["decision"]
    for body in ({}, {"error": ""}, {"error": "  "}, {"error": "x" * 2001}, {"error": 1}):
        assert runtime.post(path, body).status_code == 422


def test_five_rounds_of_asking_use_no_old_answer(runtime, mia):
    made = runtime.open()
    path = f"processes/{made['id']}"
    for n in range(5):
        stop = runtime.ask(made["id"], question="How old?")
        assert runtime.post(f"{path}/resume").json()["result"] == "needs_answer"
        assert Process.objects.get().principal_answer is None
        mia.decide(stop, answer=f"{n}")
        assert runtime.post(f"{path}/resume").json()["decision"]["answer"] == f"{n}"
    turns = runtime.get(f"{path}/turns").json()["results"]
    assert [turn["content"] for turn in turns if turn["role"] == "user"] == list("01234")
    assert len({turn["suspension"] for turn in turns}) == 5


def test_two_processes_that_ask_the_same_are_two_items(runtime, mia):
    one, two = (runtime.open(objective="Same") for _ in range(2))
    stops = [runtime.ask(made["id"], question="Same?", ask_key="k") for made in (one, two)]
    mia.decide(stops[0], answer="a")
    assert ids(mia.get("suspensions")) == [two["id"]]
    assert runtime.post(f"processes/{two['id']}/resume").json()["result"] == "needs_answer"
    stale = {"action": "answer", "answer": "a", "review_digest": stops[0]["review_digest"]}
    crossed = mia.post(f"suspensions/{stops[1]['id']}/decision", stale)
    assert code(crossed) == (409, "stale_review")
