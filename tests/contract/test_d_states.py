"""What stays of a sleeper when the server is killed, class by class (contract D15, D21)."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serving import TOP, Served

FAR = 4_000_000_000_000
NOWHERE = "/no/such/folder/on/this/host"


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, dict[str, Any]]]:
    """A server that was killed amid a wait, started again, and what it had told before."""
    server = Served(tmp_path_factory.mktemp("states"))
    told: dict[str, Any] = {}
    for id, key in (("committed", "mail/1"), ("early", "mail/2")):
        opened = {"objective": "Watch", "id": id, "start": True}
        server.runtime.post("processes", json=opened).raise_for_status()
        told[id] = asleep(server, id, {"kind": "wait-provider", "key": key})
    signal(server, "mail/1")
    [wake] = claim(server)
    again = dormancy(server, "committed", {"kind": "timer", "key": FAR})
    again["lease_epoch"] = wake["lease_epoch"]
    reply = server.runtime.post("descriptors/committed/commit", json=again)
    told["committed"] = reply.raise_for_status().json()
    told["kept"] = signal(server, "mail/3", {"letters": 2})
    waiter = threading.Thread(target=wait_in_vain, args=(server, told))
    waiter.start()
    server.kill()
    waiter.join(30)
    server.start()
    yield server, told
    server.close()


def dormancy(server: Served, id: str, condition: dict[str, Any]) -> dict[str, Any]:
    place = server.runtime.get(f"descriptors/{id}/source").raise_for_status().json()
    stands = {name: place[name] for name in ("source_revision", "seq_watermark")}
    return {"wake_conditions": [condition], "last_committed": stands | {"turn_id": "turn-1"}}


def asleep(server: Served, id: str, condition: dict[str, Any]) -> Any:
    body = {
        "session_id": id, "format_version": 1, "agent_preset_id": "letters",
        "execution_world": {"cwd": NOWHERE, "env_class": "container"},
        **dormancy(server, id, condition),
    }  # fmt: skip
    return server.runtime.put(f"descriptors/{id}", json=body).raise_for_status().json()


def signal(server: Served, key: str, payload: dict[str, Any] | None = None) -> Any:
    said = {"kind": "wait-provider", "key": key, "payload": payload}
    return server.runtime.post("signals", json=said).raise_for_status().json()


def claim(server: Served) -> Any:
    return server.runtime.post("wakes/claim", json={}).raise_for_status().json()["results"]


def wait_in_vain(server: Served, told: dict[str, Any]) -> None:
    with server.caller(server.keys[0]) as caller:
        try:
            told["waited"] = caller.post("wakes/claim?wait=20", json={}).status_code
        except httpx2.TransportError:
            told["waited"] = "cut off"


def manage(server: Served, *words: str) -> str:
    ran = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=TOP, env=server.env, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    return ran.stdout


def test_d15_what_was_committed_is_on_disk_after_a_kill(killed):
    server, told = killed
    assert server.runtime.get("descriptors/committed").json() == told["committed"]
    assert told["committed"]["used"]["wakes"] == 1


def test_d21_the_classes_of_state_are_written_down():
    text = (Path(TOP) / "docs/crash-classes.md").read_text()
    table = text.partition("## Classes of state")[2].partition("\n## ")[0]
    classes = re.findall(r"^\| (\w+) \| (.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert [one[0] for one in classes[1:]] == [
        "durable",
        "rebuildable",
        "ephemeral",
        "external",
    ]


def test_d21_ephemeral_a_waiter_is_forgotten_and_nothing_with_it(killed):
    server, told = killed
    assert told["waited"] == "cut off"
    assert claim(server) == []
    signal(server, "mail/2")
    [wake] = claim(server)
    assert wake["descriptor"]["session_id"] == "early"


def test_d21_durable_a_signal_that_waits_is_there(killed):
    server, told = killed
    assert told["kept"] == {"settled": 0, "kept": True}
    opened = {"objective": "Watch", "id": "late", "start": True}
    server.runtime.post("processes", json=opened).raise_for_status()
    said = asleep(server, "late", {"kind": "wait-provider", "key": "mail/3"})
    assert said["woken_by"]["payload"] == {"letters": 2}


def test_d21_rebuildable_the_tables_are_made_again_from_the_log(killed):
    server, told = killed
    said = manage(server, "descriptors", "rebuild")
    assert re.match(r"\d+ sleeping agents made again", said)
    assert server.runtime.get("descriptors/committed").json() == told["committed"]
    assert "none stands ahead" in manage(server, "descriptors", "check")


def test_d21_external_the_folder_is_named_and_never_touched(killed):
    server, _ = killed
    found = server.runtime.get("descriptors/committed").json()
    assert found["descriptor"]["execution_world"] == {"cwd": NOWHERE, "env_class": "container"}
    assert not Path(NOWHERE).exists()
