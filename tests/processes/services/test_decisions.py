"""A decision is kept outside the journal, can be taken back until it is delivered, and is told
once.
"""

from __future__ import annotations

import dataclasses
import io

import pytest

from processes import services
from processes.journal import errors
from processes.journal.commands import (
    Choice,
    Complete,
    Fail,
    HoldLease,
    Stop,
    TakeLease,
)
from processes.models import Decision, Suspension
from tests.making import (
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
    suspend,
)

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}
NOWHERE = Choice(action="answer", answer="eu", review_digest="0" * 64)


def take_back(made, by=None):
    return services.take_back(made.suspension_id, by=by or principal_actor())


def test_a_decision_leaves_the_record_as_it_was():
    made = make_process(question="Which?", steps=1)
    before = made.record
    decide(made, answer="eu")
    assert made.record == before
    assert made.stop.status == "answered"
    assert made.row.host.decided


def test_resume_hands_the_decision_over_and_only_resume():
    made = make_process(question="Which?")
    decide(made, answer="eu", by=principal_actor("mia"))
    done = resume(made)
    assert (done.result, done.decision.answer, done.decision.by) == (
        "continue",
        "eu",
        "principal:mia",
    )
    assert made.stop.status == "delivered" and made.stop.delivered_at_ms


def test_the_crash_cursor_is_told_the_last_decision_again():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    resume(made)
    before = made.columns
    assert [resume(made).decision.answer for _ in range(3)] == ["eu"] * 3
    assert made.columns == before


def test_a_later_stop_without_a_decision_hands_nothing_over():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    resume(made)
    made = suspend(made, reason="step_budget")
    assert resume(made).decision is None
    assert resume(made).decision is None


def test_the_first_step_after_the_answer_is_where_it_was_used():
    made = make_process(question="Which?", steps=2)
    decide(made, answer="eu")
    resume(made)
    append(made, args={"n": 1})  # a replay uses nothing
    assert made.stop.status == "delivered"
    append(made, args={"n": 3})
    append(made, args={"n": 4})
    assert (made.stop.status, made.stop.used_step) == ("used", 3)


def test_a_decline_is_told_as_the_answer_and_stays_a_decline():
    made = make_process(question="Which?")
    decide(made, "decline", note="ask Ben")
    assert made.stop.status == "declined"
    done = resume(made)
    assert (done.decision.action, done.decision.note) == ("decline", "ask Ben")
    assert made.record.principal_answer == "ask Ben"
    assert [turn.content for turn in made.record.turns] == ["Which?", "ask Ben"]
    append(made)
    assert (made.stop.status, made.stop.used_step) == ("declined", 1)


def test_the_same_decision_again_is_a_replay_and_adds_nothing():
    made = make_process(question="Which?")
    same = choice(made, answer="eu")
    for _ in range(3):
        stop = services.decide(made.suspension_id, same, by=principal_actor())
        assert (stop.id, stop.status) == (made.suspension_id, "answered")
    assert made.kinds.count("decide") == Decision.objects.count() == 1


@pytest.mark.parametrize(("who", "answer"), [("mia", "us"), ("ben", "eu"), ("ben", "us")])
def test_another_decision_or_another_person_is_told_who_was_first(who, answer):
    made = make_process(question="Which?")
    decide(made, answer="eu", by=principal_actor("mia"))
    with pytest.raises(errors.AlreadyAnswered) as refused:
        decide(made, answer=answer, by=principal_actor(who))
    told = refused.value.current
    assert (told["who"], told["answer"], told["action"]) == ("principal:mia", "eu", "answer")
    assert told["when_ms"] == Decision.objects.get().at_ms


def test_a_late_person_is_told_who_was_first_also_after_delivery_and_end():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    resume(made)
    for end in (lambda: None, lambda: services.complete(made.id, Complete(), by=made.by)):
        end()
        with pytest.raises(errors.AlreadyAnswered):
            decide(made, answer="us")


def test_a_decision_on_something_else_than_what_stands_is_refused():
    made = make_process(question="Which?")
    seen = choice(made, answer="eu")
    services.put_artifact(made.id, "a.txt", io.BytesIO(b"new"), by=made.by)
    with pytest.raises(errors.StaleReview) as refused:
        services.decide(made.suspension_id, seen, by=principal_actor())
    assert refused.value.current["revision"] == made.columns["revision"]
    assert not Decision.objects.exists()
    decide(made, answer="eu")


def test_a_bystanders_event_refuses_nobody():
    made = make_process(question="Which?")
    seen = choice(made, answer="eu")
    services.lease(made.id, TakeLease(owner="boot-1"), by=made.by)
    services.decide(made.suspension_id, seen, by=principal_actor())


def test_a_revision_that_is_sent_must_be_the_present_one():
    made = make_process(question="Which?")
    present = made.columns["revision"]
    with pytest.raises(errors.StaleReview):
        decide(made, answer="eu", revision=present - 1)
    decide(made, answer="eu", revision=present)


def test_an_if_match_of_another_revision_decides_nothing():
    made = make_process(question="Which?")
    with pytest.raises(errors.PreconditionFailed):
        decide(made, answer="eu", by=dataclasses.replace(principal_actor(), expected=0))
    assert made.stop.status == "open"


@pytest.mark.parametrize("id", ["", "susp_none", "run-1"])
def test_a_decision_on_nothing_never_succeeds(id):
    with pytest.raises(errors.ProcessNotFound):
        services.decide(id, NOWHERE, by=principal_actor())


def test_a_question_that_is_no_longer_asked_is_not_decided():
    made = make_process(reason="step_budget")
    old = choice(made, "approve")
    resume(made)
    assert made.stop.status == "superseded"
    with pytest.raises(errors.NotSuspended):
        services.decide(made.suspension_id, old, by=principal_actor())
    suspend(made, question="Which?")
    with pytest.raises(errors.NotSuspended):
        services.decide(made.suspension_id, old, by=principal_actor())


def test_a_decision_is_taken_back_until_it_is_delivered():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    assert take_back(made, principal_actor("ben")).status == "open"
    assert services.next_step(made.id, by=made.by).next_action == "needs_answer"
    decide(made, answer="us")
    assert resume(made).decision.answer == "us"
    with pytest.raises(errors.NotTakenBack) as refused:
        take_back(made)
    assert refused.value.current["answer"] == "us"
    history = Decision.objects.order_by("at_ms", "id").values_list("answer", "live")
    assert list(history) == [("eu", False), ("us", True)]
    assert [turn.content for turn in made.record.turns] == ["Which?", "us"]


def test_nothing_decided_is_nothing_taken_back():
    made = make_process(question="Which?")
    with pytest.raises(errors.NothingDecided):
        take_back(made)
    decide(made, answer="eu")
    take_back(made)
    with pytest.raises(errors.NothingDecided):
        take_back(made)


def test_a_held_process_taken_back_is_held_again():
    made = make_process(reason="guard")
    decide(made, "approve")
    take_back(made)
    with pytest.raises(errors.ApprovalRequired):
        resume(made)


@pytest.mark.parametrize("end", ["complete", "fail", "stop"])
def test_an_end_withdraws_what_waits(end):
    made = make_process(question="Which?")
    if end == "stop":
        services.stop(made.id, Stop(note="enough"), by=principal_actor())
        assert made.stop.status == "withdrawn"
    else:
        decide(made, answer="eu")
        resume(made)
        command = Complete() if end == "complete" else Fail()
        getattr(services, end)(made.id, command, by=made.by)
        assert made.stop.status == "delivered"
    host = made.row.host
    assert (host.suspension_id, host.decided, host.held) == (None, False, False)
    assert not Suspension.objects.open().exists()


def test_a_stopped_process_says_why_and_refuses_its_runtime():
    made = make_process(running=True)
    services.lease(made.id, TakeLease(owner="boot-1"), by=made.by)
    services.stop(made.id, Stop(note="enough"), by=principal_actor())
    host = made.row.host
    assert (made.record.state, host.outcome, host.lease_owner) == ("failed", "enough", None)
    with pytest.raises(errors.ProcessTerminal):
        append(made, lease_epoch=1)
    with pytest.raises(errors.Fenced):
        services.heartbeat(made.id, HoldLease(lease_epoch=1), by=made.by)


def test_approving_one_of_two_equal_processes_leaves_the_other():
    one = make_process(reason="guard", proposed_action=PROPOSED)
    two = make_process(reason="guard", proposed_action=PROPOSED)
    decide(one, "approve")
    assert two.stop.status == "open"
    with pytest.raises(errors.ApprovalRequired):
        resume(two)
    with pytest.raises(errors.StaleReview):
        services.decide(two.suspension_id, choice(one, "approve"), by=principal_actor())
