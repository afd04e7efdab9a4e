"""A server as `make run` starts it, and a principal who answers what it asks."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2

from dalhc.client import Client
from dalhc.client.models import Suspension
from tests.databases import surroundings

TOP = Path(__file__).parents[3]
START, STOP = 120, 20  # seconds, on a busy machine


class LiveServer:
    """`manage.py serve` with its data in `home`, on a port of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.url = home, f"http://127.0.0.1:{_free_port()}"
        self.start()
        left = json.loads((home / "demo.json").read_text())
        self.runtime_key: str = left["runtime_key"]
        self.runtime = Client(self.url, self.runtime_key)
        self.person_key: str = left["principal_key"]
        self.person = Client(self.url, self.person_key)

    def start(self) -> None:
        env = surroundings(self.home) | {"PORT": self.url.rsplit(":", 1)[1]}
        with (self.home / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], cwd=TOP, env=env, stdout=log, stderr=log
            )
        try:
            eventually(self._answers, START)
        except AssertionError as late:
            self.stop()
            raise AssertionError((self.home / "server.log").read_text()[-4_000:]) from late

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(STOP)

    def close(self) -> None:
        self.runtime.close()
        self.person.close()
        self.stop()

    def waits(self, process_id: str) -> bool:
        """Whether the process waits for a person."""
        return any(True for _ in self.person.suspensions(process_id=process_id))

    def run(self, *command: str | Path, **env: str) -> subprocess.Popen[str]:
        """A runtime of this server, in a process of its own."""
        here = surroundings(self.home) | {"DALHC_URL": self.url, "DALHC_KEY": self.runtime_key}
        return subprocess.Popen(
            [sys.executable, *command], cwd=TOP, env=here | env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.home / "server.log").read_text()
        try:
            return httpx2.get(f"{self.url}/healthz", trust_env=False).is_success
        except httpx2.TransportError:
            return False


class Principal(threading.Thread):
    """Answers each question of one process with its first option and lets the rest go on."""

    def __init__(self, server: LiveServer, *process_ids: str) -> None:
        super().__init__(daemon=True)
        self.process_ids, self.decided = process_ids, list[str]()
        self._desk, self._leave = server.person, threading.Event()

    def __enter__(self) -> Principal:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave.set()
        self.join()

    def run(self) -> None:
        while not self._leave.wait(0.05):
            for process_id in self.process_ids:
                for stop in self._desk.suspensions(process_id=process_id):
                    self._decide(stop)

    def _decide(self, stop: Suspension) -> None:
        seen, options = stop.review_digest or "", stop.options or ("eu",)
        if stop.reason == "ask_user":
            self._desk.decide(stop.id, "answer", review_digest=seen, answer=options[0])
        else:
            self._desk.decide(stop.id, "approve", review_digest=seen)
        self.decided.append(stop.question or stop.reason)


def eventually(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until it is so, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
