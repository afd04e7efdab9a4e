"""Waiting costs nothing, hears of everything at one place, and is in no append's way (contract
W01, W15, W20).
"""

from __future__ import annotations

import asyncio
import json
import re
import select
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper

from dalhc import bell
from dalhc.db import sql, writer
from descriptors.models import SleeperRow
from processes import services as runs
from processes.services.keys import forget
from tests import loops
from tests.claims import waiting_claim
from tests.descriptors import making
from tests.descriptors.making import on, timer
from tests.making import AGENT, admin_actor
from tests.serving import Served

TOP = Path(__file__).parents[2]
PACKAGES = ("dalhc", "processes", "descriptors")


@pytest.fixture
def asked(monkeypatch) -> Counter[str]:
    """Every statement from now on, of any thread, whichever way it goes to the database."""
    found: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def noted(*said: Any, **more: Any) -> Any:
            found[name] += 1
            return real(*said, **more)

        monkeypatch.setattr(owner, name, noted)

    for name in ("one", "rows", "run", "run_many"):
        counted(sql, name)
    for name in ("execute", "executemany"):
        counted(CursorWrapper, name)
    return found


@pytest.fixture
def writing() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


@pytest.mark.django_db(transaction=True)
def test_w01_among_ten_thousand_a_waiter_asks_nothing_until_it_is_told(asked, writing):
    first = making.asleep(on("wait-provider", "mail/1"))
    row = SleeperRow.objects.get()
    SleeperRow.objects.bulk_create(
        SleeperRow(
            session_id=f"s{n}", agent=AGENT, preset=row.preset, stage="sleeping", seq=1,
            due_at_ms=making.FAR + n, body=row.body,
        )
        for n in range(10_000)
    )  # fmt: skip
    forget()
    key = runs.issue_key(AGENT, agent=AGENT, by=admin_actor())[1]
    found = loops.run(waited(key, asked))
    assert found["idle"] == 0 and found["cpu_s"] < 0.2
    [wake] = json.loads(found["reply"].body)["results"]
    assert wake["descriptor"]["session_id"] == first.id


def signal() -> None:
    try:
        making.signal("mail/1")
    finally:
        connection.close()


async def waited(key: str, asked: Counter[str]) -> dict[str, Any]:
    """A claim that waits; what a second of its waiting cost; and its reply to a signal."""
    async with waiting_claim(key) as waiting:
        before, cpu = sum(asked.values()), time.process_time()
        await asyncio.sleep(1)
        told = {"idle": sum(asked.values()) - before, "cpu_s": time.process_time() - cpu}
        await asyncio.to_thread(signal)
        reply = await asyncio.wait_for(waiting, 20)
    return told | {"reply": reply}


def test_w15_news_goes_one_way_a_signal_inside_and_the_bell_after_the_commit():
    """No module beside these makes a bus of its own, or rings by itself."""
    assert files(r"dispatch import .*\bSignal\b") == {"processes/services/signals.py"}
    assert files(r"\b(settled|settling)\.connect\(") == {"descriptors/apps.py"}
    assert files(r"(?m)^[^`]*\bbell\.(wait|waiting)\(") == {
        "dalhc/front/claiming.py", "dalhc/front/keeper.py", "dalhc/front/waiting.py",
        "processes/api/processes.py",
    }  # fmt: skip
    assert files(r"\basyncio\.(Queue|Condition)\b|\bblinker\b|\bpyee\b") == set()


def test_w15_who_tells_of_a_wake_tells_the_bell_and_nobody_else(monkeypatch, db):
    rung: list[str] = []
    monkeypatch.setattr(bell, "ring", rung.append)
    made = making.asleep(on("wait-provider", "mail/1"))
    making.signal("mail/1")
    assert rung.count(f"wakes of {made.agent}") == 2
    assert set(rung) == {f"wakes of {made.agent}", made.id}


def files(pattern: str) -> set[str]:
    """The files of the product that have this somewhere."""
    paths = [path for package in PACKAGES for path in (TOP / package).rglob("*.py")]
    assert len(paths) > 200
    found = (path for path in paths if re.search(pattern, path.read_text()))
    return {path.relative_to(TOP).as_posix() for path in found}


WAITERS, APPENDS, SLEEPERS = 40, 120, 20


def test_w20_a_burst_of_appends_ends_while_many_wait_and_others_claim(served: Served):
    """Waiters hold no thread and no writer: forty of them, which is more than the server has,
    still wait when the last append is answered. `benches/wake.py` times it.
    """
    for number in range(SLEEPERS):
        opened = {"objective": "Watch", "id": f"burst-{number}", "start": True}
        served.other.post("processes", json=opened).raise_for_status()
        asleep(served, f"burst-{number}")
    opened = {"objective": "Tidy", "id": "bursts", "start": True}
    served.runtime.post("processes", json=opened).raise_for_status()
    before = waiting(served)
    with ExitStack() as stack:
        lines = [stack.enter_context(served.connection()) for _ in range(WAITERS)]
        for line in lines:
            line.sendall(waits(served))
        while waiting(served) < before + WAITERS:
            time.sleep(0.02)
        claimed: list[str] = []
        claimer = threading.Thread(target=claims, args=(served, claimed))
        claimer.start()
        for number in range(APPENDS):
            step = {"tool": "run", "args": {"n": number}, "success": True}
            reply = served.runtime.post("processes/bursts/steps", json=step)
            assert reply.status_code == 201, reply.text
        claimer.join(60)
        assert select.select(lines, [], [], 0) == ([], [], []), "none of them was answered yet"
    assert sorted(claimed) == sorted(f"burst-{number}" for number in range(SLEEPERS))
    assert served.runtime.get("processes/bursts").json()["steps_used"] == APPENDS


def asleep(served: Served, id: str) -> None:
    """One of the other agent, due at once."""
    place = served.other.get(f"descriptors/{id}/source").raise_for_status().json()
    stands = {name: place[name] for name in ("source_revision", "seq_watermark")}
    body = {
        "session_id": id, "format_version": 1, "agent_preset_id": "burst",
        "execution_world": {"cwd": "/srv", "env_class": "host"},
        "wake_conditions": [timer(1)], "last_committed": stands | {"turn_id": "turn-1"},
    }  # fmt: skip
    served.other.put(f"descriptors/{id}", json=body).raise_for_status()


def claims(served: Served, claimed: list[str]) -> None:
    """Everything that is due, one at a time, until nothing is."""
    body = {"presets": ["burst"]}
    while found := served.other.post("wakes/claim", json=body).json()["results"]:
        claimed.append(found[0]["descriptor"]["session_id"])


def waits(served: Served) -> bytes:
    """A claim of a preset that nobody has."""
    body = json.dumps({"presets": ["nobody"]}).encode()
    kind, length = "application/json", str(len(body))
    head = served.head("POST", "wakes/claim?wait=25", Content_Type=kind, Content_Length=length)
    return head + body


def waiting(served: Served) -> int:
    text = served.person.get(f"{served.url}/metrics").raise_for_status().text
    found = re.search(r"^dalhc_waiters (\d+)", text, re.MULTILINE)
    assert found
    return int(found[1])
