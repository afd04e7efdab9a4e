"""A claim whose lease is given back is over: nobody waits for its lapse."""

from __future__ import annotations

import pytest

from dalhc.clock import at, now_ms
from descriptors import services
from descriptors.contract.cycle import Stage
from processes import services as runs
from processes.journal.commands import HoldLease, TakeLease
from processes.journal.errors import Fenced
from tests.descriptors import making
from tests.making import append

pytestmark = pytest.mark.django_db


def release(made, epoch):
    runs.release(made.id, HoldLease(lease_epoch=epoch), by=made.by)


def standing(made):
    return services.whole(services.sleeper(made.id, by=made.by))


def test_a_claim_that_is_given_back_may_be_had_at_once_and_was_not_cut_off():
    made = making.due()
    first = making.one(ttl_s=600).row.host.lease_epoch
    append(made, lease_epoch=first)
    release(made, first)
    assert standing(made).stage is Stage.SLEEPING
    second = making.one()
    assert (second.interrupted, second.row.host.lease_epoch) == (False, first + 1)
    with pytest.raises(Fenced):
        append(made, args={"late": 1}, lease_epoch=first)
    assert services.check() == []


def test_its_running_time_ends_when_it_is_given_back():
    now = now_ms()
    with at(now):
        made = making.due()
        epoch = making.one(ttl_s=600).row.host.lease_epoch
    with at(now + 5_000):
        release(made, epoch)
    with at(now + 90_000):
        assert making.one().sleeper.wall_ms == 5_000
    assert services.check() == []


def test_a_lease_over_a_lapsed_claim_leaves_the_turn_to_be_closed_once_it_is_given_back():
    now = now_ms()
    with at(now):
        made = making.due()
        making.one(ttl_s=60)
    with at(now + 61_000):
        held = runs.lease(made.id, TakeLease(owner="boot-2", ttl_s=600), by=made.by)
        assert making.claim().wakes == () and services.check() == []
        release(made, held.host.lease_epoch)
        wake = making.one()
        assert wake.interrupted and made.kinds.count("interrupted") == 1
    assert services.check() == []


def test_tables_made_again_know_that_it_was_given_back():
    made = making.due()
    release(made, making.one(ttl_s=600).row.host.lease_epoch)
    services.rebuild()
    assert making.one().row.head.id == made.id


def test_the_one_who_waits_is_told_that_it_may_be_had(monkeypatch):
    made = making.due()
    epoch = making.one(ttl_s=600).row.host.lease_epoch
    rung = []
    monkeypatch.setattr("descriptors.services.signalling.tell_wakes", rung.append)
    release(made, epoch)
    assert rung == [made.agent]
