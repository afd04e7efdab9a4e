"""A leased run: one runtime at a time, kept alive while it works, given back when it leaves."""

from __future__ import annotations

import contextlib
import threading
import time

import httpx2
import pytest

from dalhc.client import Client, Fenced, Leased, lease
from tests.dalhc.client.replay import KEY, problem, reply

LEASE = {"lease_epoch": 1}


def test_a_leased_run_sends_its_epoch_and_gives_the_lease_back(desk):
    with desk.runtime.run("Tidy up", id="tidy-1", lease=True) as run:
        run.step("look", {}, do=lambda: "3 boxes")
        run.artifact("list.txt", "boxes")
        head = desk.runtime.get("tidy-1")
        assert head.lease_epoch == 1
        desk.acts.append(desk.decide("answer", answer="the shelf"))
        run.ask("Where to?")
    assert desk.runtime.get("tidy-1").state == "completed"


def test_a_run_without_the_lease_is_fenced(desk):
    claimed = desk.runtime.run("Tidy up", id="tidy-1", lease=True)
    with contextlib.suppress(KeyboardInterrupt), claimed as run:
        with pytest.raises(Fenced):
            desk.runtime.append("tidy-1", "look", {})
        run.step("look", {}, do=lambda: "3 boxes")
        raise KeyboardInterrupt
    assert desk.runtime.get("tidy-1").state == "running"
    assert [event.kind for event in desk.person.events("tidy-1")][-1] == "release"


def test_a_run_that_was_overtaken_stops_and_leaves_the_process(desk):
    def overtaken() -> str:
        epoch = desk.runtime.get("tidy-1").lease_epoch
        assert epoch is not None
        desk.runtime.release("tidy-1", epoch)
        desk.runtime.lease("tidy-1", "another")
        return "lifted"

    with (
        pytest.raises(Fenced),
        desk.runtime.run("Tidy up", id="tidy-1", lease=True) as run,
    ):
        run.step("lift", {}, do=overtaken)
    record = desk.runtime.get("tidy-1")
    assert (record.state, record.steps) == ("running", ())


class Keeper:
    """A server that knows leases only, and plays what the test says."""

    def __init__(self) -> None:
        self.claims: list[httpx2.Response] = [reply(LEASE)]
        self.beats: list[httpx2.Response] = []
        self.beaten = threading.Semaphore(0)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/lease"):
            return self.claims.pop(0)
        if request.url.path.endswith("/heartbeat"):
            answer = self.beats.pop(0) if self.beats else reply(LEASE)
            self.beaten.release()
            return answer
        return reply(LEASE)

    def held(self) -> lease.Lease:
        transport = httpx2.MockTransport(self)
        client = Client("http://127.0.0.1", KEY, patience=0, transport=transport)
        return lease.Lease(client, "p1", ttl_s=1)


@pytest.fixture
def keeper(monkeypatch: pytest.MonkeyPatch) -> Keeper:
    monkeypatch.setattr(lease, "BEATS", 100)
    monkeypatch.setattr(lease, "RETRY", 0.01)
    return Keeper()


def test_a_lease_is_kept_alive(keeper):
    held = keeper.held()
    for _ in range(3):
        assert keeper.beaten.acquire(timeout=5)
    assert held.epoch == 1
    held.release()


def test_a_lease_another_has_taken_is_lost(keeper):
    keeper.beats = [problem(409, "fenced", current={"lease_epoch": 2})]
    held = keeper.held()
    assert keeper.beaten.acquire(timeout=5)
    held.release()
    with pytest.raises(Fenced):
        _ = held.epoch


def test_a_lease_that_lapsed_in_silence_is_claimed_again(keeper):
    keeper.beats = [problem(409, "fenced", current={"lease_epoch": 1})]
    keeper.claims += [reply({"lease_epoch": 2})]
    held = keeper.held()
    for _ in range(2):
        assert keeper.beaten.acquire(timeout=5)
    assert held.epoch == 2
    held.release()


@pytest.mark.parametrize("claim", [reply({"lease_epoch": 3}), problem(409, "leased")])
def test_a_lapsed_lease_is_lost_when_another_was_here_between(keeper, claim):
    keeper.beats = [problem(409, "fenced", current={"lease_epoch": 1})]
    keeper.claims += [claim]
    held = keeper.held()
    assert keeper.beaten.acquire(timeout=5)
    held.release()
    with pytest.raises(Fenced):
        _ = held.epoch


def test_a_server_that_is_away_does_not_lose_the_lease(keeper):
    keeper.beats = [problem(503, "busy")] * 2
    held = keeper.held()
    for _ in range(3):
        assert keeper.beaten.acquire(timeout=5)
    assert held.epoch == 1
    held.release()


def test_the_lease_of_a_killed_runtime_is_waited_for(keeper):
    keeper.claims = [problem(409, "leased"), problem(409, "leased"), reply({"lease_epoch": 2})]
    held = keeper.held()
    assert held.epoch == 2
    held.release()


def test_a_living_holder_is_not_waited_for_longer_than_a_lapse(keeper):
    keeper.claims = [problem(409, "leased", current={"owner": "other"})] * 1000
    began = time.monotonic()
    with pytest.raises(Leased) as caught:
        keeper.held()
    assert caught.value.current["owner"] == "other"
    assert time.monotonic() - began < 5
