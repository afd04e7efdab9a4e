"""Resume and next_action, row by row (contract §5, N)."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from dalhc import clock
from processes import services
from processes.journal import errors, rules
from processes.journal.record import METADATA, Action, ProcessHead, Reason, State
from processes.models import Decision, Event, Turn
from tests.making import Made, decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db


def answered(text: str = "eu") -> Made:
    made = make_process(question="Which?")
    decide(made, answer=text)
    return made


def _resumes(reason: str) -> None:
    made = make_process(reason=reason) if reason else make_process()
    assert resume(made).result == "continue"
    record = made.record
    assert (record.state, record.suspend_reason, record.question) == ("running", None, None)
    assert record.turns == ()


def test_N01_without_an_answer_resume_says_needs_answer_every_time(runtime):
    made = make_process(question="Which?")
    for _ in range(4):
        told = runtime.post(f"/processes/{made.id}/resume", {})
        assert (told["result"], told["decision"]) == ("needs_answer", None)


def test_N02_and_changes_nothing():
    made = make_process(question="Which?", steps=1)
    before, record = made.columns, made.record.model_dump_json()
    assert resume(made).result == "needs_answer"
    assert made.columns == before
    assert made.record.model_dump_json() == record


def test_N03_with_an_answer_resume_goes_on(runtime):
    made = answered()
    told = runtime.post(f"/processes/{made.id}/resume", {})
    assert (told["result"], told["record"]["state"]) == ("continue", "running")
    assert (told["record"]["next_action"], told["decision"]["answer"]) == ("continue", "eu")


def test_N04_the_question_becomes_a_turn():
    made = answered()
    resume(made)
    asked = made.record.turns[-2]
    assert (asked.role, asked.content) == ("assistant", "Which?")


def test_N05_the_answer_becomes_a_turn_after_it():
    made = answered(" e\u0301u\n")
    resume(made)
    assert [(turn.role, turn.content) for turn in made.record.turns] == [
        ("assistant", "Which?"), ("user", " e\u0301u\n"),
    ]  # fmt: skip


def test_N06_the_answer_is_the_principals_answer():
    made = answered("  eu ")
    resume(made)
    assert made.record.principal_answer == "  eu "


@pytest.mark.parametrize("answer", ["", " ", "\n", "\u3164", "\u200b"])
def test_N07_a_blank_answer_is_none(answer, person, runtime):
    made = make_process(question="Which?")
    digest = services.review_digest(made.stop)
    body = {"action": "answer", "answer": answer, "review_digest": digest}
    assert (
        person.code(422, f"/suspensions/{made.suspension_id}/decision", body) == "answer_empty"
    )
    assert runtime.get(f"/processes/{made.id}/next")["next_action"] == "needs_answer"


def test_N08_step_budget_resumes_without_input():
    _resumes("step_budget")


def test_N09_wall_clock_resumes_without_input():
    _resumes("wall_clock")


def test_N10_guard_resumes_without_input_unless_policy_holds_it(settings):
    with pytest.raises(errors.ApprovalRequired):
        _resumes("guard")
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"held_reasons": ()})
    _resumes("guard")


def test_N11_unverified_resumes_without_input_unless_policy_holds_it(settings):
    with pytest.raises(errors.ApprovalRequired):
        _resumes("unverified")
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"held_reasons": ()})
    _resumes("unverified")


def test_N12_opened_resumes_without_input():
    _resumes("")


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize(("state", "reason"), list(itertools.product(State, [None, *Reason])))
def test_N13_next_action_is_exactly_one_of_three(state, reason, decided):
    head = ProcessHead(
        id="a",
        objective="x",
        state=state,
        suspend_reason=reason,
        created_at_ms=1,
        updated_at_ms=1,
    )
    action = rules.next_action(head, decided)
    if state in {"completed", "failed"}:
        assert action is Action.TERMINAL
    elif state == "suspended" and reason == "ask_user" and not decided:
        assert action is Action.NEEDS_ANSWER
    else:
        assert action is Action.CONTINUE


@pytest.mark.parametrize(
    "made",
    [
        {}, {"question": "Which?"}, {"reason": "step_budget"}, {"reason": "wall_clock"},
        {"running": True}, {"ended": "completed"}, {"ended": "failed"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("decides", [False, True])
def test_N14_next_action_and_resume_agree(made, decides):
    process = make_process(**made)
    if decides and process.suspension_id:
        decide(process, **({"answer": "eu"} if "question" in made else {"action": "approve"}))
    told = services.next_step(process.id, by=process.by).next_action
    assert resume(process).result is told


def test_N14_a_hold_stands_beside_both():
    made = make_process(reason="guard")
    step = services.next_step(made.id, by=made.by)
    assert (step.next_action, step.held) == ("continue", True)
    with pytest.raises(errors.ApprovalRequired):
        resume(made)
    decide(made, "approve")
    step = services.next_step(made.id, by=made.by)
    assert (step.next_action, step.held) == ("continue", False)
    assert resume(made).result == "continue"


def test_N15_next_action_is_a_pure_read(runtime):
    made = make_process(question="Which?")
    before, events = made.columns, Event.objects.count()
    for _ in range(3):
        told = runtime.get(f"/processes/{made.id}/next")
        assert told["revision"] == before["revision"]
    assert made.columns == before
    assert Event.objects.count() == events


@pytest.mark.parametrize("again", ["Which?", "And which now?"])
def test_N16_a_second_question_does_not_take_the_old_answer(again):
    made = answered()
    resume(made)
    made = suspend(made, question=again)
    assert made.record.principal_answer is None
    assert resume(made).result == "needs_answer"
    decide(made, answer="us")
    resume(made)
    assert made.record.principal_answer == "us"


def test_N17_the_second_of_two_reviewers_is_told_who_was_first(person):
    made = make_process(question="Which?")
    digest = services.review_digest(made.stop)
    decide(made, answer="eu", by=principal_actor("ben"))
    body = {"action": "answer", "answer": "us", "review_digest": digest}
    told = person.post(f"/suspensions/{made.suspension_id}/decision", body, 409)
    assert (told["code"], told["current"]["who"]) == ("already_answered", "principal:ben")
    resume(made)
    assert [turn.content for turn in made.record.turns] == ["Which?", "eu"]


def test_N18_an_answer_carries_who_and_when_outside_the_record():
    made = make_process(question="Which?")
    with clock.at(2_000_000_000_123):
        decide(made, answer="eu", by=principal_actor("mia"))
    decision = Decision.objects.get()
    assert (decision.by, decision.at_ms) == ("principal:mia", 2_000_000_000_123)
    resume(made)
    assert Turn.objects.filter(role="user").get().by == "principal:mia"
    assert "mia" not in services.journal_text(made.id, principal_actor())


@pytest.mark.parametrize("state", ["paused", "Running", "", "sleeping"])
def test_N19_only_a_known_state_resumes(state):
    head = ProcessHead.model_construct(id="a", objective="x", state=state, updated_at_ms=1)
    with pytest.raises(errors.UnknownState):
        rules.resume(head, rules.Decided("eu"), 2)


def test_N20_a_list_is_enough_to_route_by(person):
    meta: dict[str, Any] = {name: f"the {name}" for name in METADATA}
    asking = make_process(question="Which?", metadata=meta)
    running, done = make_process(running=True), make_process(ended="completed")
    listed = {one["id"]: one for one in person.get("/processes")["results"]}
    assert {id: one["next_action"] for id, one in listed.items()} == {
        asking.id: "needs_answer", running.id: "continue", done.id: "terminal",
    }  # fmt: skip
    assert {name: listed[asking.id][name] for name in METADATA} == meta
