"""Questions with a schema, and answers that have to fit it."""

from __future__ import annotations

import json

import pytest

from tests.processes.api.callers import Caller, code, everything
from tests.processes.api.conftest import agent_key, person_key

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"enum": ["eu", "us"]},
        "limit": {"type": "number", "minimum": 0},
        "note": {"type": "string"},
    },
    "required": ["region", "limit"],
}


@pytest.fixture
def runtime(db: None) -> Caller:
    return Caller(agent_key("tidier"))


@pytest.fixture
def mia(db: None) -> Caller:
    return Caller(person_key("mia", "principals"))


@pytest.fixture
def asked(runtime):
    runtime.open(id="a")
    return runtime.ask("a", response_schema=SCHEMA)


def test_the_schema_comes_back_as_it_was_sent(runtime, mia, asked):
    stop = mia.get(f"suspensions/{asked['id']}").json()
    assert json.dumps(stop["response_schema"]) == json.dumps(SCHEMA)
    assert runtime.ask("a", response_schema=SCHEMA)["id"] == asked["id"]


def test_an_answer_that_does_not_fit_leaves_the_item_open(runtime, mia, asked):
    before = everything()
    reply = mia.decide(asked, answer='{"region": "mars"}')
    assert code(reply) == (422, "answer_misfit")
    assert reply.json()["errors"] == [
        {"pointer": "/answer/limit", "detail": "This is needed."},
        {"pointer": "/answer/region", "detail": "This is none of the choices."},
    ]
    assert everything() == before


@pytest.mark.parametrize("digits", ["3544790567247868102", "0.10", "1e400", "-0.0", "9" * 40])
def test_b74_an_answer_keeps_its_digits_to_the_turn(runtime, mia, asked, digits):
    limit = digits.lstrip("-")
    answer = f'{{"region": "eu", "limit": {limit}}}'
    assert mia.decide(asked, answer=answer).status_code == 200
    told = runtime.post("processes/a/resume").json()
    assert told["decision"]["answer"] == answer
    assert told["record"]["principal_answer"] == answer


def test_who_was_first_is_told_before_what_does_not_fit(mia, asked):
    mia.decide(asked, answer='{"region": "eu", "limit": 1}')
    assert code(mia.decide(asked, answer="{}")) == (409, "already_answered")


def test_what_was_seen_is_told_before_what_does_not_fit(mia, asked):
    stale = asked | {"review_digest": "0" * 64}
    assert code(mia.decide(stale, answer="{}")) == (409, "stale_review")


def test_the_digest_covers_the_schema(runtime, mia, asked):
    runtime.open(id="b")
    one = runtime.ask("b", response_schema=SCHEMA, ask_key="k")
    mia.decide(one, answer='{"region": "eu", "limit": 1}')
    runtime.post("processes/b/resume")
    other = {**SCHEMA, "required": ["region"]}
    again = {"reason": "ask_user", "question": "?", "ask_key": "k", "response_schema": other}
    assert code(runtime.post("processes/b/suspend", again)) == (409, "ask_key_conflict")


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"response_schema": {"type": "words"}}, "invalid_response_schema"),
        ({"response_schema": {"$ref": "https://example.org"}}, "invalid_response_schema"),
        ({"response_schema": {}, "options": ["a"]}, "invalid_response_schema"),
        ({"response_schema": {}, "reason": "guard"}, "invalid_response_schema"),
        ({"response_schema": "string"}, "invalid_request"),
        ({"response_schema": [{}]}, "invalid_request"),
        ({"strict": True}, "action_not_offered"),
        ({"strict": 1}, "invalid_request"),
    ],
)
def test_a_schema_that_cannot_be_answered_is_refused(runtime, body, refusal):
    runtime.open(id="a")
    asked = {"reason": "ask_user", "question": "?"} | body
    assert code(runtime.post("processes/a/suspend", asked)) == (422, refusal)
    assert runtime.get("processes/a").json()["state"] == "running"


def test_b71_a_mode_we_do_not_know_is_refused(runtime):
    runtime.open(id="a")
    asked = {"reason": "ask_user", "question": "?", "mode": "url"}
    assert code(runtime.post("processes/a/suspend", asked)) == (422, "extra_field")


def test_b25_an_answer_that_was_rejected_is_not_used_for_the_next_question(runtime, mia):
    runtime.open(id="a")
    first = runtime.ask("a", question="How old?")
    mia.decide(first, answer="abc")
    runtime.post("processes/a/resume")
    second = runtime.ask(
        "a", question="How old, as a number?", response_schema={"type": "integer"}
    )
    assert second["id"] != first["id"]
    record = runtime.post("processes/a/resume").json()
    assert (record["result"], record["decision"]) == ("needs_answer", None)
    mia.decide(second, answer="41")
    assert runtime.post("processes/a/resume").json()["decision"]["answer"] == "41"
    turns = runtime.get("processes/a/turns").json()["results"]
    assert [turn["content"] for turn in turns] == [
        "How old?", "abc", "How old, as a number?", "41",
    ]  # fmt: skip
