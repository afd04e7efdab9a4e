"""From the decision to the step: kept back for a while, picked up, rung again, refused."""

from __future__ import annotations

import pytest

from dalhc import bell, clock
from dalhc.environment import Environment
from processes import services
from processes.journal import errors
from processes.journal.commands import Nack
from processes.journal.record import Action
from tests.making import (
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    reviewer_actor,
)

pytestmark = pytest.mark.django_db
NOW = 1_790_000_000_000


@pytest.fixture
def delayed(settings):
    settings.ENVIRONMENT = Environment(DALHC_DELIVERY_DELAY="30")


def next_of(made):
    return services.next_step(made.id, by=made.by)


def test_a_decision_is_kept_back_and_can_be_taken_back_until_then(delayed):
    with clock.at(NOW):
        made = make_process(question="Which?")
        decide(made, answer="eu")
    with clock.at(NOW + 29_999):
        assert resume(made).result is Action.NEEDS_ANSWER
        found = next_of(made)
        assert (found.next_action, found.decided, found.left_ms) == ("needs_answer", False, 1)
        assert found.wait_s(25) < 0.02
        services.take_back(made.suspension_id, by=principal_actor())
        decide(made, answer="us")
    with clock.at(NOW + 59_998):
        assert resume(made).result is Action.NEEDS_ANSWER
    with clock.at(NOW + 59_999):
        assert next_of(made).next_action is Action.CONTINUE
        assert resume(made).decision.answer == "us"


def test_a_held_process_stays_held_for_that_long(delayed):
    with clock.at(NOW):
        made = make_process(reason="guard")
        decide(made, "approve")
    with clock.at(NOW + 1_000):
        assert next_of(made).held and not next_of(made).is_settled
        with pytest.raises(errors.ApprovalRequired) as refused:
            resume(made)
        assert refused.value.retry_after == 29
    with clock.at(NOW + 30_000):
        assert resume(made).decision.action == "approve"


def test_after_the_clock_went_back_it_is_kept_back_for_twice_the_delay_at_most(delayed):
    with clock.at(NOW):
        made = make_process(question="Which?")
        decide(made, answer="eu")
    with clock.at(NOW - 30_000):
        assert next_of(made).left_ms == 60_000
    with clock.at(NOW - 86_400_000):
        assert resume(made).decision.answer == "eu"


def test_without_a_delay_it_is_handed_over_at_once():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    assert (next_of(made).left_ms, next_of(made).wait_s(25)) == (0, 25)
    assert resume(made).decision.answer == "eu"


def test_b2_ringing_wakes_whoever_waits_and_is_in_the_log(monkeypatch):
    rung = []
    monkeypatch.setattr(bell, "ring", rung.append)
    made = make_process(question="Which?")
    decide(made, answer="eu")
    rung.clear()
    services.ring(made.suspension_id, by=principal_actor())
    assert rung == [made.id]
    assert made.kinds[-1] == "ring"
    assert made.stop.status == "answered"


def test_there_is_nothing_to_ring_before_a_decision_or_after_it_was_picked_up():
    made = make_process(question="Which?")
    with pytest.raises(errors.NothingDecided):
        services.ring(made.suspension_id, by=principal_actor())
    decide(made, answer="eu")
    resume(made)
    kinds = made.kinds
    services.ring(made.suspension_id, by=principal_actor())
    assert made.kinds == kinds
    with pytest.raises(services.Forbidden):
        services.ring(made.suspension_id, by=reviewer_actor())
    with pytest.raises(services.Forbidden):
        services.ring(made.suspension_id, by=made.by)


def test_b1_what_was_handed_over_and_not_used_is_handed_over_again():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    first = resume(made).decision
    again = resume(made).decision
    assert first.id == again.id
    assert made.stop.status == "delivered"


def test_b11_a_refused_answer_is_in_the_log_and_handed_over_again():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    resume(made)
    services.nack(made.suspension_id, Nack(error="No such region."), by=made.by)
    assert made.kinds[-1] == "nack"
    assert made.stop.nack_error == "No such region."
    assert resume(made).decision.answer == "eu"
    append(made)
    assert (made.stop.status, made.stop.used_step) == ("used", 1)
