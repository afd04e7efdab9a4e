"""Agents that sleep on a real server, and a client that wakes them."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest

from dalhc.client import Client, Fenced, MayHaveRun, human, timer, wait_provider
from tests.serving import Served

CWD = "/home/mia/letters"


@pytest.fixture
def client(served: Served):
    with Client(served.url, served.keys[0]) as found:
        yield found


@pytest.fixture
def person(served: Served):
    with Client(served.url, served.keys[2]) as found:
        yield found


@pytest.fixture
def preset():
    """Of this test alone: the server is shared."""
    return uuid4().hex


def asleep(client, preset, *conditions, **more):
    made = client.open("Watch the letterbox", start=True)
    client.put_to_sleep(made.id, *conditions, preset=preset, cwd=CWD, **more)
    return made.id


def next_wake(client, preset, **more):
    return next(client.wakes([preset], wait=10, **more))


def past():
    return timer(int(time.time() * 1000) - 1)


def test_a_wake_takes_a_step_and_sleeps_again(client, preset):
    id = asleep(client, preset, past())
    with next_wake(client, preset) as wake:
        assert (wake.id, wake.woken_by, wake.is_running) == (id, "timer", True)
        assert wake.step("look", {"at": "box"}, do=lambda: "empty") == "empty"
        asleep_again = wake.commit(wait_provider(f"{preset}/box"))
    assert asleep_again.stage == "sleeping" and asleep_again.due_at is None
    assert client.claim([preset]) == ()
    assert client.get(id).lease_epoch == 1


def test_a_timer_wakes_who_waits_when_its_time_has_come(client, preset):
    at_ms = int(time.time() * 1000) + 400
    asleep(client, preset, timer(at_ms))
    with next_wake(client, preset) as wake:
        late = time.time() * 1000 - at_ms
        assert 0 <= late < 1_000
        wake.complete()


def test_an_answer_wakes_exactly_the_agent_that_asked(client, person, preset):
    id = asleep(client, preset, past())
    other = asleep(client, preset, wait_provider(f"{preset}/never"))
    with next_wake(client, preset) as wake:
        stop = wake.ask("Which folder?", options=["a", "b"])
        wake.commit(human(stop.id))
    answering = threading.Timer(0.2, answer, (person, stop.id))
    answering.start()
    with next_wake(client, preset) as wake:
        assert (wake.id, wake.woken_by, wake.claimed.decided) == (id, "human", True)
        decision = wake.resume()
        assert decision is not None and decision.answer == "a"
        wake.complete("done")
    assert client.sleeper(other).stage == "sleeping"


def answer(person, suspension_id):
    seen = person.suspension(suspension_id).review_digest
    person.decide(suspension_id, "answer", review_digest=seen, answer="a")


def test_a_signal_comes_with_its_payload_before_or_after_its_sleeper(client, preset):
    before = client.signal(f"{preset}/box", payload={"letters": 2})
    assert (before.settled, before.kept) == (0, True)
    asleep(client, preset, wait_provider(f"{preset}/box"))
    with next_wake(client, preset) as wake:
        assert wake.payload == {"letters": 2}
        wake.commit(wait_provider(f"{preset}/box"))
    assert client.signal(f"{preset}/box", payload={"letters": 3}).settled == 1
    with next_wake(client, preset) as wake:
        assert wake.payload == {"letters": 3}
        wake.complete()


def test_what_is_left_without_a_commit_is_given_back(client, preset):
    id = asleep(client, preset, past())
    with pytest.raises(RuntimeError), next_wake(client, preset):
        raise RuntimeError("the tool broke")
    assert client.sleeper(id).stage == "sleeping"
    with next_wake(client, preset) as again:
        assert again.id == id
        again.complete()


def test_a_claim_is_kept_alive_longer_than_its_lease(client, preset):
    asleep(client, preset, past())
    with next_wake(client, preset, ttl_s=1) as wake:
        assert client.claim([preset], wait=2) == ()
        wake.commit(wait_provider("never"))


def test_a_holder_that_fell_silent_is_fenced_once_another_has_claimed(client, preset):
    asleep(client, preset, past())
    silent = next_wake(client, preset, ttl_s=1)
    (second,) = client.claim([preset], wait=5)
    assert second.interrupted and second.lease_epoch == silent.epoch + 1
    with pytest.raises(Fenced):
        silent.step("look", {}, do=lambda: "late")
    with pytest.raises(Fenced):
        silent.commit(past())
    client.complete(second.record.id, lease_epoch=second.lease_epoch)


def test_a_call_that_may_have_run_runs_again_only_after_a_person(client, person, preset):
    asleep(client, preset, past())
    paid = []
    first = next_wake(client, preset, ttl_s=1)

    def pay_and_die():
        paid.append("once")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first.step("pay", {"invoice": 7}, do=pay_and_die, effect="at_most_once")
    with next_wake(client, preset) as wake:
        with pytest.raises(MayHaveRun) as unsure:
            wake.step("pay", {"invoice": 7}, do=pay_and_die, effect="at_most_once")
        assert paid == ["once"]
        stop = wake.ask_again("pay", {"invoice": 7}, unsure.value)
        wake.commit(human(stop.id))
    seen = person.suspension(stop.id).review_digest
    person.decide(stop.id, "approve", review_digest=seen)
    with next_wake(client, preset) as wake:
        wake.resume()
        result = wake.step("pay", {"invoice": 7}, do=lambda: "paid", effect="at_most_once")
        assert result == "paid"
        wake.complete()
