"""Expiry lets another try; the epoch, compared inside the write, is what protects."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from dalhc import clock
from processes import services
from processes.journal import errors
from processes.journal.commands import Complete, Fail, HoldLease, Suspend, TakeLease
from tests.making import Made, append, decide, make_process, principal_actor, resume

pytestmark = pytest.mark.django_db
T = 2_000_000_000_000


def lease(made: Made, owner: str = "boot-1", ttl_s: int = 60) -> int:
    row = services.lease(made.id, TakeLease(owner=owner, ttl_s=ttl_s), by=made.by)
    return row.host.lease_epoch


def beat(made: Made, epoch: int, ttl_s: int = 60) -> services.Row:
    return services.heartbeat(made.id, HoldLease(lease_epoch=epoch, ttl_s=ttl_s), by=made.by)


def release(made: Made, epoch: int) -> services.Row:
    return services.release(made.id, HoldLease(lease_epoch=epoch), by=made.by)


def test_a_lease_is_held_until_it_lapses_and_then_goes_to_whoever_claims():
    made = make_process(running=True)
    with clock.at(T):
        assert lease(made, "a") == 1
        with pytest.raises(errors.Leased) as refused:
            lease(made, "b")
    assert refused.value.current == {"owner": "a", "lease_until_ms": T + 60_000}
    with clock.at(T + 59_999), pytest.raises(errors.Leased):
        lease(made, "b")
    with clock.at(T + 60_000):
        assert lease(made, "b") == 2


def test_the_same_owners_claim_comes_back_and_adds_no_event():
    made = make_process(running=True)
    assert lease(made) == 1
    before = made.columns
    assert lease(made) == 1
    assert made.columns == before


def test_a_lapsed_holder_may_write_until_another_claims():
    made = make_process(running=True)
    with clock.at(T):
        lease(made, "a", ttl_s=1)
    with clock.at(T + 5_000):
        append(made, args={"n": 1}, lease_epoch=1)
        lease(made, "b")
        with pytest.raises(errors.Fenced) as refused:
            append(made, args={"n": 2}, lease_epoch=1)
        assert refused.value.current == {"lease_epoch": 2}
        append(made, args={"n": 2}, lease_epoch=2)


WRITES: dict[str, Callable[[Made, int | None], Any]] = {
    "append": lambda made, epoch: append(made, args="new", lease_epoch=epoch),
    "suspend": lambda made, epoch: services.suspend(made.id, Suspend(reason="guard",
        lease_epoch=epoch), by=made.by),
    "resume": resume,
    "complete": lambda made, epoch: services.complete(made.id, Complete(lease_epoch=epoch),
        by=made.by),
    "fail": lambda made, epoch: services.fail(made.id, Fail(lease_epoch=epoch), by=made.by),
    "artifact": lambda made, epoch: services.put_artifact(made.id, "a", _bytes(),
        lease_epoch=epoch, by=made.by),
}  # fmt: skip


def _bytes() -> io.BytesIO:
    return io.BytesIO(b"x")


@pytest.mark.parametrize("epoch", [None, 0, 1, 3])
@pytest.mark.parametrize("verb", WRITES)
def test_once_leased_every_write_needs_the_present_epoch(verb, epoch):
    made = make_process(running=True)
    lease(made)
    release(made, 1)
    lease(made)
    before = made.columns
    with pytest.raises(errors.Fenced):
        WRITES[verb](made, epoch)
    assert made.columns == before
    WRITES[verb](made, 2)


@pytest.mark.parametrize("verb", WRITES)
def test_a_process_never_leased_needs_no_epoch(verb):
    WRITES[verb](make_process(running=True), None)


def test_a_replay_is_fenced_too():
    made = make_process(steps=1)
    lease(made)
    with pytest.raises(errors.Fenced):
        append(made, args={"n": 1})
    assert append(made, args={"n": 1}, lease_epoch=1).skipped


def test_a_heartbeat_moves_the_end_and_nothing_else():
    made = make_process(running=True)
    with clock.at(T):
        lease(made, ttl_s=10)
    with clock.at(T + 9_000):
        assert beat(made, 1, ttl_s=20).host.lease_until_ms == T + 29_000
    assert made.columns["lease_until_ms"] == T + 29_000


def test_a_heartbeat_revives_nothing():
    made = make_process(running=True)
    with pytest.raises(errors.Fenced):
        beat(made, 0)
    with clock.at(T):
        lease(made, ttl_s=10)
        with pytest.raises(errors.Fenced):
            beat(made, 2)
    with clock.at(T + 10_000), pytest.raises(errors.Fenced, match="lapsed"):
        beat(made, 1)
    with clock.at(T):
        release(made, 1)
        with pytest.raises(errors.Fenced):
            beat(made, 1)


def test_a_released_lease_keeps_its_epoch_and_is_released_once():
    made = make_process(running=True)
    lease(made)
    assert release(made, 1).host.lease_owner is None
    before = made.columns
    release(made, 1)
    assert made.columns == before
    with pytest.raises(errors.Fenced):
        append(made)
    assert lease(made) == 2


def test_a_suspended_process_can_be_leased_and_a_terminal_one_cannot():
    made = make_process(question="Which?")
    assert lease(made) == 1
    for state in ("completed", "failed"):
        with pytest.raises(errors.ProcessTerminal):
            lease(make_process(ended=state))


def test_an_end_gives_the_lease_back_but_keeps_the_epoch():
    made = make_process(running=True)
    lease(made)
    services.complete(made.id, Complete(lease_epoch=1), by=made.by)
    host = made.row.host
    assert (host.lease_owner, host.lease_until_ms, host.lease_epoch) == (None, None, 1)


def test_a_person_needs_no_epoch():
    made = make_process(question="Which?")
    lease(made)
    decide(made, answer="eu")
    services.take_back(made.suspension_id, by=principal_actor())
