"""Two servers on one SQLite: what one keeps is heard by the other."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serving import TOP, Served

pytestmark = pytest.mark.sqlite

SOON = 5.0  # seconds on a busy machine; by its own clock it would take more than ten
REVOKE = """
import django; django.setup()
from processes import services
from processes.models import RuntimeKey
by = services.Actor("system", "tests", scopes=frozenset({"admin"}))
services.revoke_key(RuntimeKey.objects.get(name="painter").id, by=by)
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    first = Served(tmp_path_factory.mktemp("one-file"))
    second = Served(first.home, first)
    yield [first, second]
    second.close()
    first.close()


def test_a_signal_through_one_wakes_a_claim_that_waits_on_the_other(two):
    here, there = two
    here.runtime.post("processes", json={"objective": "Tidy", "id": "sleeper", "start": True})
    place = here.runtime.get("descriptors/sleeper/source").json()
    described = {
        "session_id": "sleeper", "format_version": 1, "agent_preset_id": "letterbox",
        "execution_world": {"cwd": "/home/mia/letters", "env_class": "host"},
        "wake_conditions": [{"kind": "wait-provider", "key": "letterbox"}],
        "budget_state": {"max_consecutive_wakes": 50},
        "last_committed": {
            name: place[name] for name in ("source_revision", "seq_watermark")
        } | {"turn_id": "turn-1"},
    }  # fmt: skip
    put = here.runtime.put("descriptors/sleeper", json=described)
    assert put.status_code == 200, put.text
    told: list[tuple[float, Any]] = []

    def claim() -> None:
        reply = there.runtime.post("wakes/claim", params={"wait": 25}, json={})
        told.append((time.monotonic(), reply.json()["results"]))

    waiter = threading.Thread(target=claim)
    waiter.start()
    time.sleep(0.5)  # it waits; sooner, it would find the signal by asking
    assert not told
    signal = here.runtime.post("signals", json={"kind": "wait-provider", "key": "letterbox"})
    assert signal.status_code in {200, 201}, signal.text
    signalled = time.monotonic()
    waiter.join(30)
    [(at, wakes)] = told
    assert [wake["descriptor"]["session_id"] for wake in wakes] == ["sleeper"]
    assert at - signalled < SOON


def test_a_key_revoked_beside_the_servers_is_refused_by_both(two):
    assert [server.other.get("processes").status_code for server in two] == [200, 200]
    subprocess.run([sys.executable, "-c", REVOKE], cwd=TOP, env=two[0].env, check=True)
    deadline = time.monotonic() + SOON
    while {server.other.get("processes").status_code for server in two} != {401}:
        assert time.monotonic() < deadline
        time.sleep(0.05)
