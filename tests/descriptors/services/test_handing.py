"""Who is woken by a decision is given when the decision may be handed over, and no earlier."""

from __future__ import annotations

import pytest

from dalhc import clock
from dalhc.environment import Environment
from descriptors import services
from descriptors.api import replies
from descriptors.models import SleeperRow
from processes import services as runs
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import decide, make_process, principal_actor, resume, suspend

pytestmark = pytest.mark.django_db
NOW = 1_790_000_000_000


@pytest.fixture(autouse=True)
def _delayed(settings):
    settings.ENVIRONMENT = Environment(DALHC_DELIVERY_DELAY="30")


@pytest.fixture
def asks():
    """It asks, and sleeps on the answer."""
    with clock.at(NOW):
        made = suspend(make_process(running=True), question="Which?")
        making.sleep(made, on("human", made.suspension_id))
    return made


def answered(made, at_ms=NOW):
    with clock.at(at_ms):
        decide(made, answer="eu")


def given_at(at_ms):
    """What a claim of then gets, and when it says that the next is due."""
    with clock.at(at_ms):
        found = making.claim()
    return found.wakes, found.next_due_ms


def test_an_answer_wakes_when_its_delay_has_passed_and_the_waiter_is_told_when(asks):
    answered(asks)
    assert given_at(NOW) == ((), NOW + 30_000)
    assert given_at(NOW + 29_999) == ((), NOW + 30_000)
    [wake], _ = given_at(NOW + 30_000)
    assert (wake.row.head.id, wake.decided) == (asks.id, True)
    with clock.at(NOW + 30_000):
        assert resume(asks, wake.row.host.lease_epoch).decision.answer == "eu"
    assert services.check() == []


def test_tables_made_again_keep_it_back_as_long(asks):
    answered(asks)
    services.rebuild()
    assert given_at(NOW + 29_999) == ((), NOW + 30_000)
    assert len(given_at(NOW + 30_000)[0]) == 1


def test_what_was_decided_before_it_slept_is_kept_back_too():
    with clock.at(NOW):
        made = suspend(make_process(running=True), question="Which?")
        decide(made, answer="eu")
    with clock.at(NOW + 1_000):
        making.sleep(made, on("human", made.suspension_id))
    assert given_at(NOW + 1_000) == ((), NOW + 30_000)
    assert len(given_at(NOW + 30_000)[0]) == 1


def test_a_decision_taken_back_in_time_wakes_nobody(asks):
    answered(asks)
    with clock.at(NOW + 29_000):
        runs.take_back(asks.suspension_id, by=principal_actor())
    assert given_at(NOW + 60_000) == ((), None)
    answered(asks, NOW + 60_000)
    assert given_at(NOW + 60_000) == ((), NOW + 90_000)


def test_a_claim_for_another_reason_says_that_no_decision_waits_yet():
    with clock.at(NOW):
        made = suspend(make_process(running=True), question="Which?")
        making.sleep(made, timer(NOW + 10_000), on("wait-provider", "mail/1"))
        making.signal("mail/1")
        decide(made, answer="eu")
    [wake], _ = given_at(NOW + 10_000)
    said = replies.wakes(services.Claimed((wake,), None))["results"][0]
    assert (said["decided"], said["next_action"]) == (False, "needs_answer")
    record = said["record"]
    assert (record["decided"], record["next_action"]) == (False, "needs_answer")
    with clock.at(NOW + 30_000):
        making.give_back(made, wake.row.host.lease_epoch)
    [again], _ = given_at(NOW + 30_000)
    assert replies.wakes(services.Claimed((again,), None))["results"][0]["decided"] is True


def test_a_page_says_when_it_wakes(asks):
    answered(asks)
    assert SleeperRow.objects.get().due_at_ms == NOW + 30_000


def test_without_a_delay_an_answer_wakes_at_once(settings, asks):
    settings.ENVIRONMENT = Environment()
    answered(asks)
    assert len(given_at(NOW)[0]) == 1
