"""What wakes from outside, whatever came first and whatever was damaged."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from descriptors import services
from descriptors.contract.cycle import Stage
from descriptors.models import KeptSignal, SleeperRow
from descriptors.services import settling, signalling
from descriptors.store import signals
from processes import services as runs
from processes.journal.commands import HoldLease, TakeLease
from processes.journal.errors import PersistenceDisabled
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import decide, make_process, principal_actor, suspend

pytestmark = pytest.mark.django_db
DAMAGE = ({"body": "{"}, {"settled": "{"}, {"settled": '{"a": 1}'})


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["sleep", "signal"])
def test_a_signal_and_a_sleep_at_once_never_miss_each_other(monkeypatch, first):
    """Each stops just before it writes what the other looks for, until the other is waiting."""
    made, key = make_process(running=True), f"mail/{first}"
    looked, go = threading.Event(), threading.Event()
    module, name = (
        (settling.signals, "take") if first == "sleep" else (signalling.signals, "listeners")
    )
    real = getattr(module, name)

    def slow(*args: Any) -> Any:
        found = real(*args)
        if threading.current_thread().name == "first":
            looked.set()
            go.wait(10)
        return found

    monkeypatch.setattr(signals, name, slow)
    works = {
        "sleep": lambda: making.sleep(made, on("wait-provider", key)),
        "signal": lambda: making.signal(key),
    }

    def run(which: str) -> None:
        try:
            works[which]()
        finally:
            connection.close()

    other = "signal" if first == "sleep" else "sleep"
    one = threading.Thread(target=run, args=(first,), name="first")
    two = threading.Thread(target=run, args=(other,), name="second")
    one.start()
    assert looked.wait(10)
    two.start()
    two.join(0.5)
    go.set()
    one.join(20)
    two.join(20)
    assert SleeperRow.objects.get(session_id=made.id).settled is not None
    assert KeptSignal.objects.count() == 0


def test_a_signal_whose_sleeper_was_woken_meanwhile_is_kept(monkeypatch):
    made = making.asleep(on("wait-provider", "mail/1"))
    seen = signals.listeners("wait-provider", "mail/1", None, 10)
    services.wake(made.id, by=principal_actor("mia"))
    real, left = signals.listeners, [seen]
    monkeypatch.setattr(signals, "listeners", lambda *a: left.pop() if left else real(*a))
    reached = making.signal("mail/1", payload={"from": "ben"})
    assert reached == services.Reached(0, kept=True)
    assert KeptSignal.objects.get().payload == '{"from": "ben"}'
    assert made.kinds.count("wake") == 1


def test_taking_a_decision_back_finds_the_signal_that_was_kept_meanwhile():
    made = make_process(running=True)
    asks = suspend(made, question="?")
    making.sleep(made, on("human", asks.suspension_id), on("wait-provider", "mail/1"))
    decide(asks, answer="yes")
    assert making.signal("mail/1", payload={"from": "ben"}).kept
    runs.take_back(asks.suspension_id, by=principal_actor())
    settled = making.one().sleeper.settled
    assert (settled.kind, settled.key, settled.payload) == (
        "wait-provider", "mail/1", {"from": "ben"},
    )  # fmt: skip
    assert KeptSignal.objects.count() == 0
    assert services.check() == []


def test_taking_a_decision_back_with_nothing_else_settled_lets_it_sleep():
    made = make_process(running=True)
    asks = suspend(made, question="?")
    making.sleep(made, on("human", asks.suspension_id), on("wait-provider", "mail/1"))
    decide(asks, answer="yes")
    runs.take_back(asks.suspension_id, by=principal_actor())
    assert making.claim().wakes == () and "wake" not in made.kinds
    assert making.signal("mail/1").settled == 1
    assert services.check() == []


def test_switched_off_a_signal_is_refused_and_nothing_is_kept(monkeypatch):
    making.asleep(on("wait-provider", "mail/1"))
    off = settings.ENVIRONMENT.model_copy(update={"persist": "0"})
    monkeypatch.setattr(settings, "ENVIRONMENT", off)
    for key in ("mail/1", "mail/2"):
        with pytest.raises(PersistenceDisabled):
            making.signal(key)
    assert KeptSignal.objects.count() == 0


@pytest.mark.parametrize("damage", DAMAGE)
def test_d20_a_signal_wakes_a_sleeper_whose_row_is_damaged(damage):
    made = making.asleep(on("wait-provider", "mail/1"))
    SleeperRow.objects.update(**damage)
    assert making.signal("mail/1").settled == 1
    assert making.one().row.head.id == made.id
    assert services.check() == []


@pytest.mark.parametrize("damage", DAMAGE)
def test_d20_a_person_wakes_a_sleeper_whose_row_is_damaged(damage):
    made = making.asleep(timer(making.FAR))
    SleeperRow.objects.update(**damage)
    assert services.wake(made.id, by=principal_actor("mia")).settled is not None
    assert making.one().row.head.id == made.id


@pytest.mark.parametrize("damage", DAMAGE)
def test_d20_a_claimed_row_that_is_damaged_is_still_committed(damage):
    made = making.due()
    epoch = making.one().row.host.lease_epoch
    SleeperRow.objects.update(**damage)
    assert making.commit(made, epoch).stage is Stage.SLEEPING
    assert services.check() == []


@pytest.mark.parametrize("settled", [True, False])
def test_a_lease_given_back_brings_the_wake_forward_that_it_put_off(settled):
    made = making.asleep(on("wait-provider", "mail/1")) if settled else making.due()
    held = runs.lease(made.id, TakeLease(owner="boot-1", ttl_s=600), by=made.by)
    if settled:
        making.signal("mail/1")
    assert making.claim().wakes == ()
    runs.release(made.id, HoldLease(lease_epoch=held.host.lease_epoch), by=made.by)
    assert making.one().row.head.id == made.id
    assert services.check() == []
