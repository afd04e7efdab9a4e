"""A run over REST: open, read, suspend, resume, complete, fail, stop."""

from __future__ import annotations

import json

import pytest

from processes.journal import files
from processes.models import Event
from processes.services import passport_check
from tests.processes.api.callers import code, everything, step

METADATA = {
    "cycle_id": "c-7", "cycle_phase": "tidy", "objective_id": "o-1",
    "objective_class": "files", "objective_due_bucket": "today",
}  # fmt: skip


def test_a_process_is_opened_suspended_and_says_where_it_is(runtime):
    reply = runtime.post("processes", {"objective": "Tidy", "id": "tidy-1", **METADATA})
    assert reply.status_code == 201
    record = reply.json()
    assert (reply["Location"], reply["ETag"]) == ("/api/v1/processes/tidy-1", '"0"')
    assert (record["state"], record["suspend_reason"]) == ("suspended", "opened")
    assert (record["next_action"], record["agent"]) == ("continue", "tidier")
    assert record["steps"] == record["turns"] == []
    assert {name: record[name] for name in METADATA} == METADATA
    assert runtime.get(reply["Location"]).json() == record


def test_an_id_is_minted_when_none_is_given(runtime):
    ids = [runtime.open()["id"] for _ in range(3)]
    assert all(one.startswith("proc_") for one in ids)
    assert ids == sorted(ids) and len(set(ids)) == 3


def test_start_opens_and_resumes_in_one_request(runtime):
    record = runtime.open(start=True)
    assert (record["state"], record["revision"]) == ("running", 1)


def test_the_same_opening_again_is_the_same_process(runtime):
    body = {"objective": "Tidy", "id": "tidy-1"}
    first = runtime.post("processes", body).json()
    before = everything()
    again = runtime.post("processes", body)
    assert (again.status_code, again.json()) == (200, first)
    assert everything() == before


@pytest.mark.parametrize(
    "change", [{"objective": "Else"}, {"id": "TIDY-1"}, {"cycle_id": "c"}, {"start": True}]
)
def test_another_opening_with_this_id_or_its_case_twin_is_a_conflict(runtime, change):
    body = {"objective": "Tidy", "id": "tidy-1"}
    runtime.post("processes", body)
    before = everything()
    assert code(runtime.post("processes", body | change)) == (409, "process_exists")
    assert everything() == before


def test_another_agent_learns_nothing_from_an_id_that_is_taken(runtime, other):
    runtime.open(id="tidy-1", objective="Secret")
    refused = other.post("processes", {"objective": "Secret", "id": "tidy-1", "start": True})
    assert code(refused) == (409, "process_exists")
    assert b"Secret" not in refused.content and b"tidier" not in refused.content


def test_an_objective_comes_back_as_it_was_sent(runtime):
    text = "  Ünïcode\n\ttabs, 😀 and e\u0301 \u202e "
    assert runtime.open(objective=text)["objective"] == text


def test_the_journal_is_the_file_of_the_document(runtime, mia):
    made = runtime.open(**METADATA)
    runtime.post(f"processes/{made['id']}/steps", step())
    reply = mia.get(f"processes/{made['id']}/journal")
    assert reply["Content-Disposition"] == f'attachment; filename="{made["id"]}.json"'
    text = reply.getvalue().decode()
    record, extra = files.load(text.encode())
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    assert (record.id, len(record.steps), extra["head"]) == (made["id"], 1, {})
    assert "revision" not in json.loads(text)


def test_a_suspension_tells_the_question_and_waits(runtime):
    made = runtime.open()
    reply = runtime.post(
        f"processes/{made['id']}/suspend",
        {"reason": "ask_user", "question": "Which?", "options": ["a", "b"], "detail": "why"},
    )
    body = reply.json()
    assert body["record"]["suspend_reason"] == "ask_user"
    assert body["record"]["question"] == body["suspension"]["question"] == "Which?"
    assert body["record"]["next_action"] == "needs_answer"
    assert body["suspension"]["options"] == ["a", "b"]
    assert body["suspension"]["status"] == "open"
    assert reply["ETag"] == f'"{body["record"]["revision"]}"'


def test_the_same_stop_again_is_the_same_suspension(runtime):
    made = runtime.open()
    stop = runtime.ask(made["id"], question="Which?")
    before = everything()
    assert runtime.ask(made["id"], question="Which?")["id"] == stop["id"]
    other = {"reason": "ask_user", "question": "Another?"}
    assert code(runtime.post(f"processes/{made['id']}/suspend", other)) == (409, "not_running")
    assert everything() == before


def test_an_ask_key_never_asks_twice(runtime, mia):
    made = runtime.open()
    ask = {"reason": "ask_user", "question": "Which?", "ask_key": "pair-1"}
    stop = runtime.ask(made["id"], **ask)
    assert runtime.ask(made["id"], **ask)["id"] == stop["id"]
    mia.decide(stop, answer="a")
    undelivered = runtime.ask(made["id"], **ask)
    assert (undelivered["status"], undelivered["decision"]) == ("answered", None)
    runtime.post(f"processes/{made['id']}/resume")
    delivered = runtime.ask(made["id"], **ask)
    assert (delivered["id"], delivered["decision"]["answer"]) == (stop["id"], "a")
    changed = runtime.post(f"processes/{made['id']}/suspend", ask | {"question": "What?"})
    assert code(changed) == (409, "ask_key_conflict")


def test_resume_hands_the_answer_over_and_keeps_both_turns(runtime, mia):
    made = runtime.open()
    stop = runtime.ask(made["id"], question="Which?")
    assert runtime.post(f"processes/{made['id']}/resume").json()["result"] == "needs_answer"
    mia.decide(stop, answer="eu")
    body = runtime.post(f"processes/{made['id']}/resume").json()
    assert body["result"] == "continue"
    assert (body["decision"]["answer"], body["decision"]["by"]) == ("eu", "principal:mia")
    assert body["record"]["principal_answer"] == "eu"
    turns = runtime.get(f"processes/{made['id']}/turns").json()["results"]
    said = [(turn["role"], turn["content"]) for turn in turns]
    assert said == [("assistant", "Which?"), ("user", "eu")]


def test_resume_of_a_running_process_changes_nothing_and_repeats_the_answer(runtime, mia):
    made = runtime.open()
    mia.decide(runtime.ask(made["id"]), answer="eu")
    first = runtime.post(f"processes/{made['id']}/resume").json()
    before = everything()
    assert runtime.post(f"processes/{made['id']}/resume").json() == first
    assert everything() == before


@pytest.mark.parametrize(
    ("verb", "body", "state"),
    [
        ("complete", {"final_text": "Done."}, "completed"), ("complete", {}, "completed"),
        ("complete", None, "completed"), ("fail", {"error": "No disk."}, "failed"),
        ("fail", {}, "failed"),
    ],
)  # fmt: skip
def test_a_run_ends_once(runtime, verb, body, state):
    made = runtime.open()
    ended = runtime.post(f"processes/{made['id']}/{verb}", body)
    head = ended.json()
    assert (head["state"], head["next_action"]) == (state, "terminal")
    assert head["outcome"] == (next(iter(body.values())) if body else None)
    before = everything()
    assert runtime.post(f"processes/{made['id']}/{verb}", body).json() == head
    changed = {"final_text": "x"} if verb == "complete" else {"error": "x"}
    for path, what in ((verb, changed), ("steps", step()), ("suspend", {"reason": "guard"})):
        refused = runtime.post(f"processes/{made['id']}/{path}", what)
        assert code(refused) == (409, "process_terminal")
    assert runtime.post(f"processes/{made['id']}/resume").json()["result"] == "terminal"
    assert everything() == before


@pytest.mark.parametrize("asking", [True, False])
def test_a_person_ends_a_process_and_the_runtime_is_told(runtime, mia, asking):
    made = runtime.open()
    stop = runtime.ask(made["id"]) if asking else None
    head = mia.post(f"processes/{made['id']}/stop", {"note": "Wrong folder."}).json()
    assert (head["state"], head["outcome"]) == ("failed", "Wrong folder.")
    assert code(runtime.post(f"processes/{made['id']}/steps", step())) == (
        409,
        "process_terminal",
    )
    if stop:
        assert mia.get(f"suspensions/{stop['id']}").json()["status"] == "withdrawn"
        assert code(mia.decide(stop, answer="a")) == (409, "process_terminal")


def test_every_write_adds_one_event_and_every_read_none(runtime, mia):
    made = runtime.open(start=False)
    path = f"processes/{made['id']}"
    runtime.post(f"{path}/resume")
    runtime.post(f"{path}/steps", [step(1), step(2), step(1)])
    stop = runtime.ask(made["id"])
    mia.decide(stop, answer="a")
    mia.delete(f"suspensions/{stop['id']}/decision")
    mia.decide(stop, answer="b")
    for read in ("", "/journal", "/next", "/steps", "/turns", "/events", "/artifacts"):
        assert runtime.get(path + read).status_code == 200
    runtime.post(f"{path}/resume")
    runtime.post(f"{path}/complete")
    kinds = [event["kind"] for event in mia.get(f"{path}/events").json()["results"]]
    assert kinds == [
        "open", "resume", "step", "step", "suspend", "decide", "take_back", "decide", "resume",
        "finish",
    ]  # fmt: skip
    assert Event.objects.of(made["id"]).count() == 10


@pytest.mark.parametrize("reason", ["step_budget", "wall_clock"])
def test_a_budget_stop_resumes_without_a_person_or_with_one(runtime, mia, reason):
    made = runtime.open()
    runtime.ask(made["id"], reason=reason, detail="100 steps")
    assert runtime.post(f"processes/{made['id']}/resume").json()["result"] == "continue"
    stop = runtime.ask(made["id"], reason=reason)
    assert mia.decide(stop, "approve").json()["status"] == "answered"
    body = runtime.post(f"processes/{made['id']}/resume").json()
    assert (body["result"], body["decision"]["action"]) == ("continue", "approve")


@pytest.mark.parametrize(
    "stop",
    [{"reason": "guard"}, {"reason": "unverified"}, {"reason": "wall_clock", "hold": True}],
)
def test_a_held_process_resumes_only_when_a_person_lets_it(runtime, mia, stop):
    made = runtime.open()
    held = runtime.ask(made["id"], **stop)
    waits = runtime.get(f"processes/{made['id']}/next").json()
    assert (waits["next_action"], waits["held"]) == ("continue", True)
    before = everything()
    refused = runtime.post(f"processes/{made['id']}/resume")
    assert code(refused) == (409, "approval_required")
    assert refused.json()["current"]["suspension"] == held["id"]
    assert everything() == before
    mia.decide(held, "approve")
    body = runtime.post(f"processes/{made['id']}/resume").json()
    assert (body["result"], body["decision"]["action"]) == ("continue", "approve")


def test_a_passport_is_for_people(runtime, other, mia, tmp_path):
    made = runtime.open(id="a")
    runtime.post("processes/a/steps", step())
    reply = mia.get("processes/a/passport")
    path = tmp_path / "a.html"
    path.write_bytes(reply.getvalue())
    assert passport_check.check(path, {}).process_id == made["id"]
    assert code(runtime.get("processes/a/passport")) == (403, "forbidden")
    assert code(other.get("processes/a/passport")) == (403, "forbidden")
    assert code(mia.get("processes/b/passport")) == (404, "process_not_found")
    assert code(mia.get("processes/a/passport?x=1")) == (422, "invalid_request")
