"""A taking back and a signal lock in one order: they wait for each other, and lose nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from dalhc.db import inline
from dalhc.db.refusals import Busy
from descriptors import services
from descriptors.models import KeptSignal
from descriptors.store import signals
from processes import services as runs
from tests.descriptors import making
from tests.descriptors.making import on
from tests.making import Made, decide, make_process, principal_actor, suspend
from tests.processes.services.test_races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
ROUNDS = 200 if os.environ.get("PROVE") else 20
KEYS = ("mail/1", "mail/2")


@pytest.fixture
def asks():
    made = suspend(make_process(running=True), question="?")
    sleeps = [on("human", made.suspension_id), *(on("wait-provider", key) for key in KEYS)]
    making.sleep(made, *sleeps)
    return made, sleeps


def test_a_taking_back_and_two_signals_at_once_never_deadlock_and_never_miss(asks, monkeypatch):
    """A signal has found its sleeper when a person decides, and takes it back at once."""
    made, sleeps = asks
    again, looked = retries(monkeypatch), lingering(monkeypatch)
    for number in range(ROUNDS):
        looked.clear()
        signalled = [partial(making.signal, key, payload={"n": number}) for key in KEYS]
        results = at_once([*signalled, partial(decide_and_take_back, made, looked, number)])
        assert not [one for one in results if isinstance(one, Exception)], results
        assert KeptSignal.objects.count() == 1, "one woke it and the other waits"
        wake = making.one()
        assert wake.sleeper.settled.payload == {"n": number}
        making.commit(made, wake.row.host.lease_epoch, *sleeps)
        wake = making.one()  # by the one that waited
        making.commit(made, wake.row.host.lease_epoch, *sleeps)
        assert making.claim().wakes == () and not KeptSignal.objects.exists()
    assert again == []
    assert services.check() == []


def decide_and_take_back(made: Made, looked: threading.Event, number: int) -> None:
    assert looked.wait(20)
    decide(made, answer=f"{number}")
    take_back(made)


def take_back(made: Made) -> None:
    runs.take_back(made.suspension_id, by=principal_actor())


def test_one_that_fell_asleep_on_a_key_that_somebody_holds_is_taken_back_afterwards(
    asks, monkeypatch
):
    """Between the look and the lock it has moved on to another key: then nobody waits with the
    process locked, and the whole runs again.
    """
    made, _ = asks
    decide(made, answer="yes")
    again = retries(monkeypatch)
    monkeypatch.setattr(services, "before_settling", lambda _: None)
    with held("mail/2"), pytest.raises(Busy):
        take_back(made)
    assert again == ["Again"] * (inline.TIMES - 1) and made.stop.status == "answered"
    take_back(made)
    assert made.stop.status == "open" and services.check() == []


def retries(monkeypatch) -> list[str]:
    """What made a write run again, from now on: PostgreSQL's code, or our own."""
    found: list[str] = []
    real = inline._Trial.may_run_again

    def noted(self: Any, error: Any) -> bool:
        found.append(inline.sqlstate(error) or type(error).__name__)
        return real(self, error)

    monkeypatch.setattr(inline._Trial, "may_run_again", noted)
    return found


def lingering(monkeypatch) -> threading.Event:
    """A signal that has found its sleepers lingers before it locks them. Set when one has."""
    real, looked = signals.listeners, threading.Event()

    def listeners(*asked: Any) -> Any:
        found = real(*asked)
        looked.set()
        time.sleep(0.02)
        return found

    monkeypatch.setattr(signals, "listeners", listeners)
    return looked


@contextmanager
def held(key: str) -> Iterator[None]:
    """Another's transaction has this key until the end."""
    has, enough = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                signals.lock([("wait-provider", key)])
                has.set()
                enough.wait(20)
        finally:
            connection.close()

    other = threading.Thread(target=hold)
    other.start()
    assert has.wait(20)
    try:
        yield
    finally:
        enough.set()
        other.join(20)
