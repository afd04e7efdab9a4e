"""Waking, admission and commit, row by row (contract W01-W20)."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dalhc.clock import at, now_ms
from dalhc.db import writer
from descriptors import services
from descriptors.contract import errors
from descriptors.contract.commands import ClaimWakes
from descriptors.contract.cycle import Recovery
from descriptors.models import KeptSignal, SleeperRow
from processes.journal.errors import Fenced
from processes.models import Event
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import append, decide, make_process, principal_actor, runtime_actor, suspend

pytestmark = pytest.mark.django_db


def epoch(wake):
    return wake.row.host.lease_epoch


def test_w02_a_sleeper_is_a_row_and_no_thread():
    before = threading.active_count()
    for number in range(50):
        making.asleep(timer(making.FAR + number))
    assert threading.active_count() == before
    assert SleeperRow.objects.count() == 50


def test_w03_a_claim_loads_one_session_and_costs_the_same_among_many():
    counts = []
    for others in (0, 30):
        for _ in range(others):
            making.asleep(timer(making.FAR), on("wait-provider", "x"))
        making.due()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            making.one()
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_w04_a_wake_is_one_bounded_continuation():
    made = making.due()
    wake = making.one()
    making.commit(made, epoch(wake))
    with pytest.raises(errors.NotClaimed):
        making.commit(made, epoch(wake))
    assert making.claim().wakes == ()


def test_w05_a_commit_before_its_flush_is_refused():
    made = making.due()
    wake = making.one()
    place = making.committed(made)
    seq = place["seq_watermark"] + 1
    ahead = place | {
        "seq_watermark": seq,
        "source_revision": f"{place['source_revision'].partition(':')[0]}:{seq}",
    }
    before = SleeperRow.objects.values().get()
    with pytest.raises(errors.AheadOfLog):
        making.commit(made, epoch(wake), last_committed=ahead)
    assert SleeperRow.objects.values().get() == before


def test_w06_a_commit_that_fails_leaves_the_descriptor_as_it_was(monkeypatch):
    made = making.due()
    wake = making.one()
    before, events = SleeperRow.objects.values().get(), made.kinds

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("descriptors.store.sleepers.keep", full)
    with pytest.raises(OSError, match="no space left"):
        making.commit(made, epoch(wake))
    assert SleeperRow.objects.values().get() == before
    assert made.kinds == events


@pytest.mark.parametrize("way", ["commit", "give_back"])
def test_w07_who_sleeps_holds_no_lease(way):
    made = making.due()
    getattr(making, way)(made, epoch(making.one()))
    assert (made.row.host.lease_owner, made.row.host.lease_until_ms) == (None, None)


def test_w10_a_wake_goes_on_from_the_last_complete_boundary():
    made = making.due()
    making.commit(made, epoch(making.one()), timer(1))
    wake = making.one()
    assert wake.recovery is Recovery.KEEP
    append(made, lease_epoch=epoch(wake))
    making.give_back(made, epoch(wake))
    again = making.one()
    assert again.recovery is Recovery.REBUILD
    committed = again.sleeper.descriptor.last_committed
    assert committed.seq_watermark == Event.objects.of(made.id).filter(kind="step").get().seq


def test_w11_half_a_descriptor_is_discarded():
    made = making.due()
    SleeperRow.objects.update(body='{"session_id": "half')
    wake = making.one()
    assert (wake.row.head.id, wake.recovery) == (made.id, Recovery.REBUILD)


def test_w12_two_conditions_at_once_dispatch_once():
    making.asleep(on("wait-provider", "a"), on("wait-provider", "b"), timer(making.FAR))
    assert making.signal("a").settled == 1
    assert making.signal("b").kept
    assert len(making.claim(limit=10).wakes) == 1
    assert making.claim(limit=10).wakes == ()


@pytest.mark.django_db(transaction=True)
def test_w13_of_32_claimers_one_wins():
    making.due()
    writer.start()
    try:
        start, won = threading.Barrier(32), []

        def race():
            start.wait()
            won.extend(making.claim().wakes)
            connection.close()

        threads = [threading.Thread(target=race) for _ in range(32)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    finally:
        writer.stop()
    assert len(won) == 1


def test_w14_a_lapsed_claim_is_claimed_again_and_its_holder_fenced():
    made = making.due()
    now = now_ms()
    first = making.one(ttl_s=60)
    with at(now + 59_000):
        assert making.claim().wakes == ()
    with at(now + 61_000):
        second = making.one()
    assert second.interrupted and epoch(second) == epoch(first) + 1
    with pytest.raises(Fenced):
        making.commit(made, epoch(first))
    with pytest.raises(Fenced):
        append(made, lease_epoch=epoch(first))
    making.commit(made, epoch(second))


def test_w14_a_claim_that_is_kept_alive_is_not_claimed_again():
    made = making.due()
    now = now_ms()
    wake = making.one(ttl_s=60)
    from processes import services as runs
    from processes.journal.commands import HoldLease

    with at(now + 50_000):
        runs.heartbeat(made.id, HoldLease(lease_epoch=epoch(wake), ttl_s=60), by=made.by)
    with at(now + 100_000):
        assert making.claim().wakes == ()
    with at(now + 111_000):
        assert making.one().interrupted


def test_w16_an_answer_wakes_only_who_asked():
    asks = [suspend(make_process(running=True), question="?") for _ in range(2)]
    for one in asks:
        making.sleep(one, on("human", one.suspension_id))
    assert making.claim(limit=10).wakes == ()
    decide(asks[0], answer="yes")
    wake = making.one(limit=10)
    assert wake.row.head.id == asks[0].id and wake.sleeper.settled.kind == "human"


def test_w16_what_was_answered_before_it_slept_makes_it_due():
    asks = suspend(make_process(running=True), question="?")
    decide(asks, answer="yes")
    making.sleep(asks, on("human", asks.suspension_id))
    assert making.one().row.host.decided


def test_w16_a_decision_taken_back_lets_it_sleep_on():
    from processes import services as runs

    asks = suspend(make_process(running=True), question="?")
    making.sleep(asks, on("human", asks.suspension_id))
    decide(asks, answer="yes")
    runs.take_back(asks.suspension_id, by=principal_actor())
    assert making.claim().wakes == ()
    assert services.check() == []


def test_w17_a_timer_wakes_once_and_never_early():
    now = now_ms()
    making.asleep(timer(now + 1_000))
    with at(now + 999):
        found = making.claim()
        assert found.wakes == () and found.next_due_ms == now + 1_000
    with at(now + 1_000):
        assert making.one().sleeper.settled.key == now + 1_000
        assert making.claim().wakes == ()


def test_w18_a_person_wakes_it_and_the_log_says_who():
    made = making.asleep(timer(making.FAR))
    services.wake(made.id, by=principal_actor("mia"))
    assert making.one().sleeper.settled.kind == "explicit"
    assert Event.objects.of(made.id).get(kind="wake").actor == "principal:mia"


def test_w19_a_signal_reaches_exactly_its_key_and_waits_for_its_sleeper():
    made = making.asleep(on("wait-provider", "mail/1"))
    for other in ("mail/", "mail/11", "MAIL/1", "mail%"):
        assert making.signal(other) == services.Reached(0, True)
    assert making.claim().wakes == ()
    assert making.signal("mail/1", payload={"from": "ben"}) == services.Reached(1, False)
    wake = making.one()
    assert wake.sleeper.settled.payload == {"from": "ben"}
    making.commit(made, epoch(wake), on("wait-provider", "mail/11"))
    assert making.one().sleeper.settled.key == "mail/11"
    assert not KeptSignal.objects.filter(key="mail/11").exists()


def test_w19_a_signal_of_another_agent_wakes_nobody_here():
    making.asleep(on("wait-provider", "mail/1"))
    assert making.signal("mail/1", agent="painter").kept
    assert making.claim().wakes == ()


def test_a_process_that_ends_sleeps_no_more():
    from processes import services as runs
    from processes.journal.commands import Stop

    made = making.asleep(timer(1))
    runs.stop(made.id, Stop(note="enough"), by=principal_actor())
    assert SleeperRow.objects.count() == 0
    assert making.claim().wakes == ()
    with pytest.raises(errors.NothingToSleepFor):
        making.sleep(made)


def test_presets_narrow_a_claim():
    making.due()
    asked = ClaimWakes(presets=["other"])
    assert services.claim(asked, by=runtime_actor()).wakes == ()
    assert len(making.claim(presets=["tidy"]).wakes) == 1
