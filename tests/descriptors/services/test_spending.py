"""A budget that is used up is seen where people look, whatever state its process is in."""

from __future__ import annotations

import pytest

from descriptors import services
from processes import services as runs
from processes.models import Suspension
from tests.chain import assert_chain
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import Made, decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db


def spent(made, wakes=2):
    """It wakes so often in a row, and then no more."""
    making.sleep(made, timer(1), budget_state={"max_consecutive_wakes": wakes})
    for _ in range(wakes):
        making.give_back(made, making.one().row.host.lease_epoch)
    assert making.claim().wakes == ()
    assert is_spent(made)
    return made


def is_spent(made):
    return services.sleeper(made.id, by=made.by).stage == "spent"


def stop_of(made):
    stop = Suspension.objects.get(process_id=made.id, status="open")
    return Made(made.id, stop.id)


def test_one_that_never_began_stands_in_the_inbox_and_goes_on_when_approved():
    made = spent(make_process())
    stop = stop_of(made).stop
    assert (stop.reason, stop.held) == ("step_budget", True)
    assert stop.detail == "It woke 2 times in a row without a person. It has not begun."
    assert making.claim().wakes == ()
    decide(stop_of(made), "approve")
    wake = making.one()
    assert wake.decided and wake.sleeper.wakes == 1
    assert resume(made, wake.row.host.lease_epoch).result == "continue"
    assert (made.record.state, made.record.steps_used) == ("running", 0)
    assert services.check() == []
    assert_chain(made.id)


def test_one_that_never_began_is_ended_by_a_person_who_has_enough():
    made = spent(make_process())
    decide(stop_of(made), "stop", note="enough")
    assert made.record.state == "failed"
    assert making.claim().wakes == () and services.check() == []


def test_a_running_one_stands_in_the_inbox_and_says_why():
    made = spent(make_process(running=True))
    assert stop_of(made).stop.detail == "It woke 2 times in a row without a person."


def test_one_that_asks_stands_there_with_what_it_asks_and_wakes_when_answered():
    made = suspend(make_process(running=True), question="Which?")
    spent(made)
    assert stop_of(made).stop.question == "Which?"
    decide(made, answer="eu")
    assert making.one().decided and services.check() == []


def test_an_answer_that_nobody_comes_for_any_more_is_rung_by_a_person_and_wakes_it():
    made = suspend(make_process(running=True), question="Which?")
    decide(made, answer="eu")
    spent(made)
    runs.ring(made.suspension_id, by=principal_actor())
    wake = making.one()
    assert wake.decided and (wake.sleeper.settled.kind, wake.sleeper.wakes) == ("explicit", 1)
    assert services.check() == []


def test_ringing_for_one_that_sleeps_or_wakes_leaves_its_budget_as_it_is():
    made = suspend(make_process(running=True), question="Which?")
    making.sleep(made, on("human", made.suspension_id))
    decide(made, answer="eu")
    making.give_back(made, making.one().row.host.lease_epoch)
    runs.ring(made.suspension_id, by=principal_actor())
    assert making.one().sleeper.wakes == 2 and services.check() == []


def test_an_agent_that_may_ask_no_more_is_stopped_all_the_same_and_blocks_no_other(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"open_per_agent": 1})
    make_process(question="Which?")
    spent(make_process(running=True))
    assert Suspension.objects.filter(status="open").count() == 2
    other = making.due()
    assert making.one().row.head.id == other.id
