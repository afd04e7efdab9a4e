"""Suspension, row by row (contract §5, U)."""

from __future__ import annotations

import pytest

from processes.journal import errors
from processes.models import Suspension
from tests.making import decide, make_process, resume, suspend

pytestmark = pytest.mark.django_db


def _suspends(runtime, reason: str) -> None:
    made = make_process(running=True)
    body = {"reason": reason} | ({"question": "Which?"} if reason == "ask_user" else {})
    told = runtime.post(f"/processes/{made.id}/suspend", body)
    assert told["record"]["state"] == "suspended"
    assert told["record"]["suspend_reason"] == told["suspension"]["reason"] == reason
    assert told["suspension"]["status"] == "open"


def test_U01_suspended_is_not_failed(person):
    stopped, failed = make_process(reason="guard"), make_process(ended="failed")
    for state, made in (("suspended", stopped), ("failed", failed)):
        listed = person.get("/processes", state=state)["results"]
        assert [one["id"] for one in listed] == [made.id]
    assert person.get(f"/processes/{stopped.id}")["next_action"] == "continue"
    assert person.get(f"/processes/{failed.id}")["next_action"] == "terminal"


def test_U02_ask_user_suspends(runtime):
    _suspends(runtime, "ask_user")


def test_U03_step_budget_suspends(runtime):
    _suspends(runtime, "step_budget")


def test_U04_wall_clock_suspends(runtime):
    _suspends(runtime, "wall_clock")


def test_U05_guard_suspends(runtime):
    _suspends(runtime, "guard")


def test_U06_unverified_suspends(runtime):
    _suspends(runtime, "unverified")


@pytest.mark.parametrize(
    "reason", ["paused", "", "ASK_USER", "opened", "timeout", None, 5, ["guard"]]
)
def test_U07_any_other_reason_is_refused_and_the_record_stays(reason, runtime):
    made = make_process(running=True)
    before = made.columns
    path = f"/processes/{made.id}/suspend"
    assert runtime.code(422, path, {"reason": reason}) == "invalid_suspend_reason"
    assert made.columns == before


@pytest.mark.parametrize(
    "body",
    [{}, {"question": None}, {"question": ""}, {"question": " \n"}, {"question": "\u3164"}],
)
def test_U08_asking_without_a_question_is_refused_and_the_process_still_runs(body, runtime):
    made = make_process(running=True)
    path = f"/processes/{made.id}/suspend"
    assert runtime.code(422, path, {"reason": "ask_user"} | body) == "question_required"
    assert made.record.state == "running"
    assert not Suspension.objects.exists()


def test_U09_the_question_stands_in_the_queue(person):
    made = make_process(question="<b>Which?</b>\u202e", objective="Tidy")
    [one] = person.get("/suspensions")["results"]
    assert (one["id"], one["question"]) == (made.suspension_id, "<b>Which?</b>\u202e")
    assert (one["objective"], one["can_decide"]) == ("Tidy", True)


def test_U10_an_unverified_result_is_marked_and_held(person):
    made = make_process(reason="unverified")
    [one] = person.get("/suspensions", reason="unverified")["results"]
    assert (one["reason"], one["held"]) == ("unverified", True)
    assert person.get(f"/processes/{made.id}")["held"] is True
    assert person.get("/processes", held="true")["results"][0]["id"] == made.id


@pytest.mark.parametrize(
    "reason", ["ask_user", "step_budget", "wall_clock", "guard", "unverified"]
)
def test_U11_why_it_stopped_is_on_disk_at_once(reason):
    """Read from the row alone, as a server that has just started reads it."""
    made = make_process(reason=reason, question="Which?", detail="because")
    columns = made.columns
    assert (columns["state"], columns["suspend_reason"]) == ("suspended", reason)
    stop = Suspension.objects.get(id=columns["suspension_id"])
    assert (stop.reason, stop.question, stop.detail) == (reason, "Which?", "because")


@pytest.mark.parametrize("state", ["completed", "failed"])
@pytest.mark.parametrize("reason", ["guard", "ask_user"])
def test_U12_an_ended_process_is_not_suspended(state, reason, runtime):
    made = make_process(ended=state)
    body = {"reason": reason, "question": "Which?"}
    assert runtime.code(409, f"/processes/{made.id}/suspend", body) == "process_terminal"


def test_an_ask_key_makes_a_question_safe_to_send_again(runtime):
    made = make_process(running=True)
    path = f"/processes/{made.id}/suspend"
    body = {"reason": "ask_user", "question": "Which?", "ask_key": "q1"}
    first = runtime.post(path, body)["suspension"]["id"]
    assert runtime.post(path, body)["suspension"]["id"] == first
    made = type(made)(made.id, first)
    decide(made, answer="eu")
    assert runtime.post(path, body)["suspension"]["status"] == "answered"
    resume(made)
    assert runtime.post(path, body)["suspension"]["id"] == first
    assert made.record.state == "running"
    assert runtime.code(409, path, body | {"question": "Other?"}) == "ask_key_conflict"
    assert runtime.post(path, body | {"ask_key": "q2"})["suspension"]["id"] != first


def test_an_ask_key_belongs_to_its_process():
    one, two = (
        make_process(question="Which?", ask_key="q"),
        make_process(question="Which?", ask_key="q"),
    )
    assert one.suspension_id != two.suspension_id
    with pytest.raises(errors.AskKeyConflict):
        suspend(one, question="Other?", ask_key="q")
