"""Leases over REST: one holder, an epoch that fences, a holder that is named."""

from __future__ import annotations

import pytest

from dalhc.clock import at, now_ms
from tests.processes.api.callers import code, everything, step


@pytest.fixture
def path(runtime):
    return f"processes/{runtime.open()['id']}"


def take(runtime, path, owner="boot-1", **fields):
    return runtime.post(f"{path}/lease", {"owner": owner} | fields)


def test_a_lease_gives_an_epoch_and_a_time(runtime, path):
    reply = take(runtime, path, ttl_s=60)
    lease = reply.json()
    assert (reply.status_code, lease["lease_epoch"], lease["owner"]) == (200, 1, "boot-1")
    assert lease["lease_until"].endswith("Z")
    assert runtime.get(path).json()["lease_epoch"] == 1


def test_the_same_owner_gets_its_own_lease_again(runtime, path):
    first = take(runtime, path).json()
    before = everything()
    assert take(runtime, path).json() == first
    assert everything() == before


def test_another_owner_is_told_who_holds_it_and_until_when(runtime, path):
    take(runtime, path)
    before = everything()
    refused = take(runtime, path, "boot-2")
    assert code(refused) == (409, "leased")
    assert refused.json()["current"]["owner"] == "boot-1"
    assert refused.json()["current"]["lease_until_ms"] > now_ms()
    assert everything() == before


def test_from_the_first_lease_on_every_write_carries_the_epoch(runtime, path):
    take(runtime, path)
    before = everything()
    for epoch in ({}, {"lease_epoch": 0}, {"lease_epoch": 2}, {"lease_epoch": 10**30}):
        for verb, body in (
            ("steps", step()), ("suspend", {"reason": "guard"}), ("complete", {}), ("fail", {}),
            ("resume", {}),
        ):  # fmt: skip
            refused = runtime.post(f"{path}/{verb}", body | epoch)
            assert code(refused) == (409, "fenced")
            assert refused.json()["current"]["lease_epoch"] == 1
    assert code(runtime.put(f"{path}/artifacts/a", b"x")) == (409, "fenced")
    assert everything() == before
    assert runtime.post(f"{path}/steps", step(lease_epoch=1)).status_code == 201
    assert runtime.put(f"{path}/artifacts/a?lease_epoch=1", b"x").status_code == 201


def test_a_lapsed_holder_writes_until_another_claims(runtime, path):
    with at(now_ms() - 10_000):
        take(runtime, path, ttl_s=1)
    assert runtime.post(f"{path}/steps", step(1, lease_epoch=1)).status_code == 201
    assert take(runtime, path, "boot-2").json()["lease_epoch"] == 2
    assert code(runtime.post(f"{path}/steps", step(2, lease_epoch=1))) == (409, "fenced")


def test_a_heartbeat_renews_and_never_revives(runtime, path):
    take(runtime, path, ttl_s=1)
    before = everything()
    renewed = runtime.post(f"{path}/heartbeat", {"lease_epoch": 1, "ttl_s": 600})
    assert renewed.status_code == 200
    assert everything()["Event"] == before["Event"]
    with at(now_ms() + 3_600_000):
        lapsed = runtime.post(f"{path}/heartbeat", {"lease_epoch": 1})
    assert code(lapsed) == (409, "fenced")


def test_a_release_lets_another_claim_and_still_fences(runtime, path):
    take(runtime, path)
    assert runtime.post(f"{path}/release", {"lease_epoch": 1}).json()["owner"] is None
    before = everything()
    assert runtime.post(f"{path}/release", {"lease_epoch": 1}).status_code == 200
    assert everything() == before
    assert take(runtime, path, "boot-2").json()["lease_epoch"] == 2


@pytest.mark.parametrize(
    "body",
    [
        {}, {"owner": ""}, {"owner": "x" * 201}, {"owner": 1}, {"owner": "a", "ttl_s": 0},
        {"owner": "a", "ttl_s": 3601}, {"owner": "a", "ttl_s": 1.5},
        {"owner": "a", "ttl_s": "9"},
    ],
)  # fmt: skip
def test_an_odd_claim_is_refused(runtime, path, body):
    assert code(runtime.post(f"{path}/lease", body)) == (422, "invalid_request")
    assert runtime.get(path).json()["lease_epoch"] == 0


def test_an_ended_process_takes_no_lease(runtime, path):
    runtime.post(f"{path}/complete")
    assert code(take(runtime, path)) == (409, "process_terminal")


def test_an_end_ends_the_lease(runtime, path):
    take(runtime, path)
    runtime.post(f"{path}/complete", {"lease_epoch": 1})
    assert code(runtime.post(f"{path}/heartbeat", {"lease_epoch": 1})) == (409, "fenced")
