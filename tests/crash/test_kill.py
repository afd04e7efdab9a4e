"""What was told is kept: the server, and the writer alone, ended with kill -9 at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.databases import surroundings

ROOT = Path(__file__).resolve().parents[2]
ISSUE = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from processes import services
by = services.Actor("system", "tests", scopes=frozenset({"admin"}))
print(services.issue_key("tidier", agent="tidier", by=by)[1])
"""


def environment(home: Path, **more: str) -> dict[str, str]:
    return surroundings(home) | {"DALHC_DEMO": "0", "PYTHONPATH": str(ROOT), **more}


def run(home: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment(home), text=True, timeout=240,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Server:
    """`manage.py serve` on a port of its own, with one runtime's key; it can be killed."""

    def __init__(self, home: Path) -> None:
        self.home, self.key = home, run(home, "-c", ISSUE)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        with (self.home / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], cwd=ROOT, stdout=log, stderr=log,
                env=environment(self.home, PORT=str(self.port)), start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while True:
            assert self.process.poll() is None, (self.home / "server.log").read_text()
            assert time.monotonic() < deadline, "the server did not come up"
            try:
                if httpx2.get(f"{self.url}/healthz", trust_env=False).is_success:
                    return
            except httpx2.TransportError:
                time.sleep(0.05)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> httpx2.Client:
        return httpx2.Client(
            base_url=f"{self.url}/api/v1", headers={"Authorization": f"Bearer {self.key}"},
            timeout=20, trust_env=False,
        )  # fmt: skip

    def kill(self) -> None:
        """The server and its workers at once, as a power cut does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def again(self) -> None:
        self.kill()
        self.start()

    def journal(self, process_id: str) -> dict[str, Any]:
        with self.client() as api:
            return dict(api.get(f"/processes/{process_id}/journal").raise_for_status().json())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Started once and killed once, right after the last of what the tests look for."""
    server = Server(tmp_path_factory.mktemp("killed"))
    with server.client() as api:
        api.post("/processes", json={"objective": "Tidy", "id": "asks", "start": True})
        asked = {"reason": "ask_user", "question": "Which?", "detail": "because"}
        api.post("/processes/asks/suspend", json=asked).raise_for_status()
        api.post("/processes", json={"objective": "Tidy", "id": "steps", "start": True})
        assert _step(api, 0).status_code == 201
        opened = api.post("/processes", json={"objective": "Tidy", "id": "opened"})
        assert opened.status_code == 201
        server.again()
    yield server
    server.kill()


def _step(api: httpx2.Client, number: int) -> httpx2.Response:
    body = {"tool": "run", "args": {"n": number}, "success": True}
    return api.post("/processes/steps/steps", json=body)


def test_O03_an_opened_process_is_there_after_a_kill(server):
    told = server.journal("opened")
    assert (told["state"], told["suspend_reason"]) == ("suspended", "opened")
    assert told["objective"] == "Tidy"


def test_U11_why_it_stopped_is_there_after_a_kill(server):
    told = server.journal("asks")
    assert (told["state"], told["suspend_reason"]) == ("suspended", "ask_user")
    assert told["question"] == "Which?"
    with server.client() as api:
        [stop] = api.get("/suspensions", params={"process_id": "asks"}).json()["results"]
        assert (stop["status"], stop["detail"]) == ("open", "because")
        assert api.post("/processes/asks/resume", json={}).json()["result"] == "needs_answer"


def test_K01_a_running_process_goes_on_after_a_kill(server):
    with server.client() as api:
        before = api.get("/processes/steps").json()
        told = api.post("/processes/steps/resume", json={}).json()
        assert (told["result"], told["record"]["state"]) == ("continue", "running")
        assert api.get("/processes/steps").json() == before


def test_A18_A32_a_kill_after_so_many_steps_leaves_so_many(server):
    assert len(server.journal("steps")["steps"]) == 1
    with server.client() as api:
        for number in range(1, 5):
            assert _step(api, number).status_code == 201
        server.again()
    told = server.journal("steps")
    assert [step["args"] for step in told["steps"]] == [f'{{"n":{n}}}' for n in range(5)]
    assert told["steps_used"] == 5
    with server.client() as api:
        again = _step(api, 4).json()
    assert (again["skipped"], again["seq"]) == (True, 5)


def test_K10_a_server_killed_while_many_write_has_kept_all_it_told(server):
    told: dict[str, set[int]] = {f"many-{name}": set() for name in range(4)}
    with server.client() as api:
        for name in told:
            api.post("/processes", json={"objective": "Tidy", "id": name, "start": True})
    clients = [
        threading.Thread(target=_append, args=(server, name, told[name])) for name in told
    ]
    for client in clients:
        client.start()
    deadline = time.monotonic() + 20
    while not all(told.values()) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.3))
    server.kill()
    for client in clients:
        client.join(30)
    server.start()
    for name, seqs in told.items():
        journal = server.journal(name)
        keys = {step["idempotency_key"] for step in journal["steps"]}
        assert seqs
        assert max(seqs) <= len(journal["steps"]) == journal["steps_used"] == len(keys)


def _append(server: Server, name: str, told: set[int]) -> None:
    """Until the server is gone."""
    with server.client() as api:
        for number in range(100_000):
            step = {"tool": "run", "args": {"n": number}, "success": True}
            try:
                reply = api.post(f"/processes/{name}/steps", json=step)
            except httpx2.TransportError:
                return
            if reply.status_code == 201:
                told.add(reply.json()["seq"])


def test_K10_a_writer_killed_at_a_hundred_random_moments_leaves_loadable_records(tmp_path):
    """Each acknowledged step and decision is there, each chain whole, each journal loads."""
    told = json.loads(run(tmp_path, "-m", "tests.crash.dying", "100"))
    assert told["kills"] == 100
    assert told["acknowledged"] >= 50
