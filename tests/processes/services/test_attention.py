"""Claimed by one, passed on, put off: visible to everyone, and none of it decides."""

from __future__ import annotations

import dataclasses
import threading

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection

from dalhc import clock
from processes import services
from processes.journal import errors
from processes.journal.attention import Claim, Reassign, Snooze
from processes.journal.commands import Stop
from processes.models import Assignment, Event, Suspension
from processes.services import Forbidden, housekeeping
from tests.chain import assert_chain
from tests.making import (
    decide,
    make_process,
    principal_actor,
    reviewer_actor,
    runtime_actor,
    suspend,
)
from tests.processes.services.test_expiry import OVER, asking, moment

pytestmark = pytest.mark.django_db
MIA, BEN = principal_actor("mia"), principal_actor("ben")
TAKE, TAKE_OVER = Claim(), Claim(take_over=True)


def listed() -> list[str]:
    return list(Suspension.objects.waiting().in_order().values_list("id", flat=True))


def test_B19_what_is_claimed_is_not_free_and_names_who_has_it():
    made = make_process(question="Which?")
    services.claim(made.suspension_id, TAKE, by=MIA)
    assert made.stop.holder == "principal:mia"
    assert not Suspension.objects.waiting().filter(holder__isnull=True).exists()
    assert Suspension.objects.waiting().mine("mia", []).exists()
    assert not Suspension.objects.waiting().mine("ben", []).exists()
    assert listed() == [made.suspension_id]


def test_B20_whoever_was_taken_over_cannot_decide_and_is_told_by_whom():
    made = make_process(question="Which?")
    services.claim(made.suspension_id, TAKE, by=MIA)
    with pytest.raises(errors.Claimed) as refused:
        services.claim(made.suspension_id, TAKE, by=BEN)
    assert refused.value.current["who"] == "principal:mia"
    services.claim(made.suspension_id, TAKE_OVER, by=BEN)
    with pytest.raises(errors.Claimed) as refused:
        decide(made, answer="eu", by=MIA)
    assert refused.value.current["who"] == "principal:ben"
    assert decide(made, answer="us", by=BEN).status == "answered"
    event = Event.objects.of(made.id).get(kind="take_over")
    assert (event.actor, '"from":"principal:mia"' in event.data) == ("principal:ben", True)
    assert_chain(made.id)


def test_B16_a_claim_and_a_decision_in_the_same_moment_are_both_there():
    made = make_process(question="Which?")
    with clock.at(clock.now_ms()):
        services.claim(made.suspension_id, TAKE, by=MIA)
        decide(made, answer="eu", by=MIA)
    assert made.kinds[-2:] == ["claim", "decide"]


def test_a_claim_twice_leaves_no_second_trace():
    made = make_process(question="Which?")
    for _ in range(2):
        services.claim(made.suspension_id, TAKE, by=MIA)
    assert made.kinds.count("claim") == 1


def test_only_its_holder_gives_it_back():
    made = make_process(question="Which?")
    services.claim(made.suspension_id, TAKE, by=MIA)
    with pytest.raises(errors.Claimed):
        services.let_go(made.suspension_id, by=BEN)
    assert services.let_go(made.suspension_id, by=MIA).holder is None
    revision = made.row.host.revision
    services.let_go(made.suspension_id, by=BEN)
    assert made.row.host.revision == revision


def test_ending_the_process_obeys_a_claim_too():
    made = make_process(question="Which?")
    services.claim(made.suspension_id, TAKE, by=MIA)
    with pytest.raises(errors.Claimed):
        services.stop(made.id, services_stop(), by=BEN)
    services.stop(made.id, services_stop(), by=MIA)
    assert made.record.state == "failed"


def services_stop():
    return Stop(note="enough")


def test_passing_on_names_the_next_and_lets_go():
    User.objects.create_user("ben")
    Group.objects.create(name="finance")
    made = make_process(question="Which?")
    services.claim(made.suspension_id, TAKE, by=MIA)
    names = Reassign(assignees=("ben", "group:finance"))
    services.reassign(made.suspension_id, names, by=MIA)
    assert made.stop.assignees == ("ben", "group:finance")
    assert made.stop.holder is None
    assert Suspension.objects.waiting().mine("ben", []).exists()
    assert Suspension.objects.waiting().mine("eve", ["finance"]).exists()
    services.reassign(made.suspension_id, Reassign(assignees=()), by=BEN)
    assert not Assignment.objects.exists()


def test_nobody_is_meant_who_is_not_there():
    User.objects.create_user("gone", is_active=False)
    made = make_process(running=True)
    for name in ("nobody", "gone", "group:none"):
        with pytest.raises(errors.UnknownAssignee) as refused:
            suspend(made, question="?", assignees=[name])
        assert refused.value.errors[0]["pointer"] == "/assignees/0"
    assert made.record.state == "running"


def test_what_is_put_off_leaves_the_list_until_its_moment():
    made = make_process(question="Which?")
    now = clock.now_ms()
    services.snooze(made.suspension_id, Snooze(until=moment(now + 60_000)), by=MIA)
    assert listed() == []
    assert Suspension.objects.snoozed().count() == 1
    with clock.at(now + 59_999):
        assert housekeeping.sweep() == now + 60_000
    assert listed() == []
    with clock.at(now + 60_000):
        assert housekeeping.sweep() is None
    assert listed() == [made.suspension_id]


def test_a_snooze_can_be_ended_by_hand():
    made = make_process(question="Which?")
    until = Snooze(until=moment(clock.now_ms() + 60_000))
    services.snooze(made.suspension_id, until, by=MIA)
    services.snooze(made.suspension_id, Snooze(until=None), by=BEN)
    assert listed() == [made.suspension_id]


def test_putting_off_moves_no_expiry_and_may_not_sleep_through_it():
    made = asking("decline")
    with clock.at(OVER - 10_000):
        for until in (OVER, OVER + 1, OVER - 10_000):
            with pytest.raises(errors.InvalidSnooze):
                services.snooze(made.suspension_id, Snooze(until=moment(until)), by=MIA)
        services.snooze(made.suspension_id, Snooze(until=moment(OVER - 1)), by=MIA)
    assert made.stop.expires_at_ms == OVER
    with clock.at(OVER):
        housekeeping.sweep()
    assert made.stop.status == "expired"


@pytest.mark.parametrize("verb", ["claim", "let_go", "reassign", "snooze"])
@pytest.mark.parametrize("by", [reviewer_actor(), runtime_actor()], ids=["reviewer", "runtime"])
def test_only_who_may_decide_says_who_looks(verb, by):
    made = make_process(question="Which?")
    with pytest.raises(Forbidden):
        run(verb, made, by)


@pytest.mark.parametrize("verb", ["claim", "let_go", "reassign", "snooze"])
def test_what_no_longer_waits_is_nobodys(verb):
    made = make_process(question="Which?")
    decide(made, answer="eu")
    with pytest.raises(errors.NotSuspended):
        run(verb, made, MIA)
    ended = make_process(question="Which?")
    services.stop(ended.id, services_stop(), by=MIA)
    with pytest.raises(errors.ProcessTerminal):
        run(verb, ended, MIA)


@pytest.mark.parametrize("verb", ["claim", "let_go", "reassign", "snooze"])
def test_what_is_over_is_settled_first(verb):
    made = asking("default", default_answer="eu")
    with clock.at(OVER), pytest.raises(errors.Expired):
        run(verb, made, MIA)
    assert made.stop.status == "expired"


@pytest.mark.parametrize("verb", ["claim", "reassign", "snooze"])
def test_a_named_revision_is_minded(verb):
    made = make_process(question="Which?")
    with pytest.raises(errors.PreconditionFailed):
        run(verb, made, dataclasses.replace(MIA, expected=99))


def run(verb: str, made, by):
    commands = {
        "claim": (TAKE,),
        "let_go": (),
        "reassign": (Reassign(assignees=()),),
        "snooze": (Snooze(until=moment(clock.now_ms() + 1_000)),),
    }
    return getattr(services, verb)(made.suspension_id, *commands[verb], by=by)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_claim_at_once_one_has_it():
    made = make_process(question="Which?")
    people = [principal_actor(f"p{n}") for n in range(16)]
    got: list[str] = []
    told: list[str] = []
    gate = threading.Barrier(len(people))

    def claim(by):
        gate.wait()
        try:
            got.append(str(services.claim(made.suspension_id, TAKE, by=by).holder))
        except errors.Claimed as refused:
            told.append(refused.current["who"])
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(by,)) for by in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1 and told == [made.stop.holder] * 15
