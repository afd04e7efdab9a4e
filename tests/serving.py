"""A server as an operator starts it, empty but for keys; and bare sockets to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import httpx2

from tests.databases import surroundings

TOP = Path(__file__).parents[1]
START, STOP = 120, 15  # seconds, on a busy machine

KEYS = """
import django; django.setup()
from django.contrib.auth.models import Group, User
from processes import services
by = services.Actor("system", "tests", scopes=frozenset({"admin", "read"}))
mia = User.objects.create_user("mia")
mia.groups.add(Group.objects.get_or_create(name="principals")[0])
print(services.issue_key("tidier", agent="tidier", by=by)[1])
print(services.issue_key("painter", agent="painter", by=by)[1])
print(services.issue_key("mia", user=mia, scopes=("read", "decide"), by=by)[1])
"""


class Served:
    """`manage.py serve` with three keys; `runtime`, `other` and `person` call with them."""

    def __init__(self, home: Path, beside: Served | None = None, **environment: str) -> None:
        """A server `beside` another shares its data and its keys."""
        self.home, self.port = home, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = surroundings(home) | {"DALHC_DEMO": "0", "PORT": str(self.port)}
        self.env |= environment
        self.start()
        self.keys = beside.keys if beside else self._made_keys()
        self.runtime, self.other, self.person = (self.caller(key) for key in self.keys)

    def _made_keys(self) -> list[str]:
        made = [sys.executable, "-c", KEYS]
        keys = subprocess.run(
            made, cwd=TOP, env=self.env, capture_output=True, text=True, check=True
        )
        return keys.stdout.split()

    def start(self) -> None:
        with self.log_path.open("a") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=TOP, env=self.env, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + START
        while not self._answers():
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.1)

    def command(self) -> list[str]:
        return [sys.executable, "manage.py", "serve"]

    def stop(self) -> None:
        """SIGTERM, and wait for the end."""
        self.process.terminate()
        self.process.wait(STOP)

    def kill(self) -> None:
        """The server and its worker at once, in the middle of whatever they do."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(STOP)

    def close(self) -> None:
        for caller in (self.runtime, self.other, self.person):
            caller.close()
        self.stop()

    def caller(self, key: str) -> httpx2.Client:
        """Paths are those of the API, as in `get("processes")`."""
        return httpx2.Client(
            base_url=f"{self.url}/api/v1/", headers={"Authorization": f"Bearer {key}"},
            trust_env=False, timeout=60,
        )  # fmt: skip

    @property
    def log_path(self) -> Path:
        return self.home / f"server-{self.port}.log"

    @property
    def log(self) -> str:
        """All it has printed so far."""
        return self.log_path.read_text()

    @contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """A bare connection, for requests no client would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as found:
            yield found

    def send(self, request: bytes) -> tuple[HTTPResponse, Any]:
        """The bytes as they are; the response and the JSON of its body."""
        with self.connection() as connection:
            connection.sendall(request)
            return answer(connection)

    def head(self, method: str, path: str, **headers: str) -> bytes:
        """The first lines of a request of the runtime, as in `Content_Length="5"`."""
        lines = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.keys[0]}"}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"{method} /api/v1/{path} HTTP/1.1\r\n{text}\r\n".encode()

    def _answers(self) -> bool:
        """Asked by hand: a new client each time would cost more than the server's start."""
        asking = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            asking.request("GET", "/healthz")
            return asking.getresponse().status == 200
        except OSError:
            return False
        finally:
            asking.close()


def answer(connection: socket.socket) -> tuple[HTTPResponse, Any]:
    response = HTTPResponse(connection)
    response.begin()
    body = response.read()
    return response, json.loads(body) if body else None


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
