"""Drafts and past answers over REST: the same as on the page."""

from __future__ import annotations

import pytest

from processes.services import searching
from tests.processes.api.callers import code


@pytest.fixture
def stop(runtime):
    runtime.open(id="asks")
    return runtime.ask("asks", question="Which bucket is the source of truth?")


def save(who, stop, text="eu", at=5, action="answer"):
    body = {"action": action, "content": {"answer": [text]}, "typed_at_ms": at}
    return who.send("PUT", f"suspensions/{stop['id']}/draft", body)


def texts(reply):
    assert reply.status_code == 200
    return [one["content"]["answer"] for one in reply.json()["results"]]


def test_a_draft_is_kept_read_and_forgotten(mia, ben, stop):
    assert texts(save(mia, stop)) == [["eu"]]
    assert texts(save(mia, stop, "e", at=4)) == [["eu"]]
    assert texts(save(mia, stop, "eu-1", at=6)) == [["eu-1"]]
    address = f"suspensions/{stop['id']}/draft"
    assert texts(ben.get(address)) == []
    assert texts(mia.get(address)) == [["eu-1"]]
    assert texts(mia.delete(address)) == []
    assert texts(mia.get(address)) == []


def test_a_draft_without_a_clock_is_typed_now(mia, stop):
    address = f"suspensions/{stop['id']}/draft"
    body = {"action": "decline", "content": {"note": ["No."], "f12": ["a", "b"], "f0-null": []}}
    [kept] = mia.send("PUT", address, body).json()["results"]
    assert kept["content"] == body["content"]
    assert kept["typed_at_ms"] > 1_700_000_000_000


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"content": {"review_digest": ["x"]}}, (422, "invalid_request")),
        ({"content": {"answer": "eu"}}, (422, "invalid_request")),
        ({"content": {"answer": ["a" * 80_001]}}, (422, "invalid_request")),
        ({"content": {"f100": ["a"]}}, (422, "invalid_request")),
        ({"action": "nonsense"}, (422, "invalid_request")),
        ({"typed_at_ms": -1}, (422, "invalid_request")),
        ({"more": 1}, (422, "extra_field")),
    ],
)
def test_what_is_no_draft_is_refused(mia, stop, change, refusal):
    body = {"action": "answer", "content": {"answer": ["eu"]}} | change
    assert code(mia.send("PUT", f"suspensions/{stop['id']}/draft", body)) == refusal


def test_nothing_is_typed_about_what_one_has_handed_over(runtime, mia, ben, stop):
    save(ben, stop, "us")
    mia.decide(stop, answer="eu")
    assert texts(save(mia, stop, "perhaps")) == [["perhaps"]]
    runtime.post("processes/asks/resume")
    assert code(save(mia, stop, "late", at=9)) == (409, "already_answered")
    assert texts(mia.get(f"suspensions/{stop['id']}/draft")) == []
    assert texts(save(ben, stop, "us, I said", at=9)) == [["us, I said"]]


def test_past_answers_are_those_of_the_page(runtime, other, mia, stop):
    mia.decide(stop, answer="The old one.")
    runtime.post("processes/asks/resume")
    for who, name in ((runtime, "again"), (other, "theirs")):
        who.open(id=name, objective_class="ledger")
    again = runtime.ask("again", question="Which bucket is the source of truth now?")
    searching.sweep()
    [past] = mia.get(f"suspensions/{again['id']}/past").json()["results"]
    assert (past["suspension_id"], past["process_id"]) == (stop["id"], "asks")
    assert (past["answer"], past["by"], past["state"]) == (
        "The old one.", "principal:mia", "running",
    )  # fmt: skip


def test_a_runtime_finds_no_answer_given_to_another_agent(runtime, other, mia):
    """T18: also where people see both, since their objectives are of one class."""
    for who, name in ((runtime, "mine"), (other, "theirs")):
        who.open(id=name, objective_class="ledger")
        stop = who.ask(name, question="Which bucket is the source of truth?")
        mia.decide(stop, answer=f"That of {name}.")
        who.post(f"processes/{name}/resume")
    runtime.open(id="again", objective_class="ledger")
    again = runtime.ask("again", question="Which bucket is the source of truth?")
    searching.sweep()
    address = f"suspensions/{again['id']}/past"
    assert {one["process_id"] for one in mia.get(address).json()["results"]} == {
        "mine", "theirs",
    }  # fmt: skip
    assert [one["process_id"] for one in runtime.get(address).json()["results"]] == ["mine"]
