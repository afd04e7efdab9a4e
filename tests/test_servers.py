"""Four servers on one PostgreSQL are one dalhc: what one keeps all tell, and any may go."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import psycopg
import pytest

from processes.services.verifying import verify_chains
from tests.databases import database_of, surroundings
from tests.serving import TOP, Served

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    first = Served(tmp_path_factory.mktemp("four"))
    found = [first, *(Served(first.home, beside=first) for _ in range(3))]
    yield found
    for server in found:
        server.close()


def opened(server: Served, id: str) -> None:
    body = {"objective": "Tidy", "id": id, "start": True}
    assert server.runtime.post("processes", json=body).status_code == 201


def ask(server: Served, id: str) -> dict[str, Any]:
    asked = {"reason": "ask_user", "question": "Which?", "options": ["eu", "us"]}
    said = server.runtime.post(f"processes/{id}/suspend", json=asked)
    return dict(said.raise_for_status().json())


def answer(server: Served, stop: str) -> httpx2.Response:
    shown = server.person.get(f"suspensions/{stop}").json()
    body = {"action": "answer", "answer": "eu", "review_digest": shown["review_digest"]}
    return server.person.post(f"suspensions/{stop}/decision", json=body)


def test_an_answer_through_one_wakes_a_runtime_that_waits_on_another(servers):
    for number in range(4):
        asking, waiting, deciding = (servers[(number + n) % 4] for n in range(3))
        opened(asking, f"wakes-{number}")
        ask(asking, f"wakes-{number}")
        [stop] = deciding.person.get(
            "suspensions", params={"process_id": f"wakes-{number}"}
        ).json()["results"]
        told: list[tuple[float, Any]] = []

        def wait(
            server: Served = waiting, id: str = f"wakes-{number}", told: Any = told
        ) -> None:
            reply = server.runtime.get(f"processes/{id}/next", params={"wait": 25}).json()
            told.append((time.monotonic(), reply))

        waiter = threading.Thread(target=wait)
        waiter.start()
        time.sleep(0.3)  # long enough for a reply that does not wait
        assert not told
        assert answer(deciding, stop["id"]).status_code == 200
        decided = time.monotonic()
        waiter.join(30)
        [(at, reply)] = told
        assert reply["next_action"] == "continue"
        assert at - decided < 5, "it woke by its own clock, not by the answer"


def test_a_key_revoked_on_one_is_refused_by_all(servers):
    make = (
        "import django; django.setup()\n"
        "from processes import services\n"
        "by = services.Actor('system', 'tests', scopes=frozenset({'admin', 'read'}))\n"
        "print(services.issue_key('brief', agent='brief', by=by)[1])\n"
    )
    first = servers[0]
    words = [sys.executable, "-c", make]
    key = subprocess.run(
        words, cwd=TOP, env=first.env, text=True, capture_output=True, check=True
    ).stdout.strip()
    callers = [server.caller(key) for server in servers]
    assert [one.get("processes").status_code for one in callers] == [200] * 4
    revoke = make.rpartition("print")[0] + (
        "from processes.models import RuntimeKey\n"
        "services.revoke_key(RuntimeKey.objects.get(name='brief').id, by=by)\n"
    )
    subprocess.run([sys.executable, "-c", revoke], cwd=TOP, env=first.env, check=True)
    deadline = time.monotonic() + 5  # far less than what a server remembers by itself
    while {one.get("processes").status_code for one in callers} != {401}:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for one in callers:
        one.close()


def test_one_killed_and_one_ended_amid_requests_lose_nothing(servers):
    names = [f"many-{number}" for number in range(8)]
    for name in names:
        opened(servers[0], name)
    told: dict[str, dict[int, int]] = {name: {} for name in names}
    enough = threading.Event()
    runtimes = [
        threading.Thread(target=_append, args=(servers, place, name, told[name], enough))
        for place, name in enumerate(names)
    ]
    for runtime in runtimes:
        runtime.start()
    _until(lambda: all(told.values()))
    servers[2].kill()
    servers[3].stop()
    before = {name: len(steps) for name, steps in told.items()}
    _until(lambda: all(len(told[name]) > before[name] + 3 for name in names))
    enough.set()
    for runtime in runtimes:
        runtime.join(60)
    servers[2].start()
    servers[3].start()
    for name, steps in told.items():
        journal = servers[3].runtime.get(f"processes/{name}/journal").json()
        kept = {step["args"]: number for number, step in enumerate(journal["steps"], 1)}
        assert len(kept) == len(journal["steps"]) == journal["steps_used"]
        for number, seq in steps.items():
            assert kept[f'{{"n":{number}}}'] == seq
    with psycopg.connect(database_of(servers[0].home)) as rows:
        assert verify_chains(lambda sql: rows.execute(sql).fetchall()) >= len(names)


def _append(
    servers: list[Served], place: int, name: str, told: dict[int, int], enough: threading.Event
) -> None:
    """As a runtime behind a proxy: a server that is away is not asked again for this step."""
    number = 0
    clients = [server.caller(server.keys[0]) for server in servers]
    while not enough.is_set():
        step = {"tool": "run", "args": {"n": number}, "success": True}
        try:
            reply = clients[place % 4].post(f"processes/{name}/steps", json=step)
        except httpx2.TransportError:
            place += 1
            continue
        if reply.status_code in {200, 201}:
            told[number] = reply.json()["seq"]
            number += 1
        else:
            assert reply.status_code == 503, reply.text
        place += 1
    for client in clients:
        client.close()


def _until(condition: Any, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_hosts_that_start_at_once_on_an_empty_database_wait_for_each_other(tmp_path):
    homes = [tmp_path / "here", tmp_path / "there"]
    address = database_of(homes[0])
    starts = [
        subprocess.Popen(
            [sys.executable, "manage.py", "prepare"],
            cwd=TOP, env=surroundings(home) | {"DATABASE_URL": address, "DALHC_DEMO": "1"},
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        for home in homes
    ]  # fmt: skip
    said = [start.communicate(timeout=120)[0] for start in starts]
    assert [start.returncode for start in starts] == [0, 0], said
    assert sum("log in as principal" in one for one in said) == 1
    assert sum((home / "demo.json").exists() for home in homes) == 1
