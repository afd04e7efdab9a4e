"""Asleep, woken, asleep again: the whole round through the services."""

from __future__ import annotations

import pytest

from descriptors import services
from descriptors.contract import errors
from descriptors.contract.commands import Sleep
from descriptors.models import SleeperRow
from descriptors.services import sleeping
from tests.descriptors import making
from tests.making import decide, make_process, suspend

pytestmark = pytest.mark.django_db


def test_a_round_of_sleep_wake_question_answer_and_sleep():
    made = make_process(running=True)
    making.sleep(made, making.timer(5), making.on("wait-provider", "mail/1"))
    wake = making.one()
    assert (wake.row.head.id, wake.sleeper.settled.kind) == (made.id, "timer")
    assert making.claim().wakes == ()
    epoch = wake.row.host.lease_epoch
    asks = suspend(made, question="?", lease_epoch=epoch)
    making.commit(made, epoch, making.on("human", asks.suspension_id))
    assert making.claim().wakes == ()
    decide(asks, answer="yes")
    wake = making.one()
    assert wake.sleeper.settled.kind == "human" and wake.row.host.decided
    making.give_back(made, wake.row.host.lease_epoch)
    assert making.one().sleeper.settled.kind == "human"
    assert made.kinds == [
        "open", "resume", "sleep", "claim", "suspend", "commit", "decide", "claim", "back",
        "claim",
    ]  # fmt: skip
    assert services.check() == []


def test_the_same_descriptor_again_changes_nothing():
    made = making.asleep(making.timer(making.FAR))
    before = made.columns
    making.sleep(made, making.timer(making.FAR))
    assert made.columns == before


@pytest.mark.parametrize("damage", [{}, {"body": "{"}])
def test_the_same_descriptor_sent_again_keeps_what_woke_it_meanwhile(damage):
    made = make_process(running=True)
    said = making.body(made, making.on("wait-provider", "mail/1"))
    services.sleep(Sleep.model_validate(said), by=made.by)
    making.signal("mail/1", payload={"from": "ben"})
    SleeperRow.objects.update(**damage or {"wakes": 0})
    again = services.sleep(Sleep.model_validate(said), by=made.by)
    assert again.settled.payload == {"from": "ben"}
    assert making.one().sleeper.settled.payload == {"from": "ben"}
    assert made.kinds.count("sleep") == 1


def test_one_that_was_claimed_while_its_lock_was_waited_for_is_not_forgotten(monkeypatch):
    made = making.due()
    lock = sleeping.beside.lock_row

    def waited(*asked):
        monkeypatch.undo()
        making.claim()  # who had the lock
        return lock(*asked)

    monkeypatch.setattr(sleeping.beside, "lock_row", waited)
    with pytest.raises(errors.StillClaimed):
        services.drop(made.id, by=made.by)
    assert SleeperRow.objects.filter(session_id=made.id).exists()
