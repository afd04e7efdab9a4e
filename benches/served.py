"""A server of its own for a bench: fresh data, the product's own command, ended by its process
id.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dalhc.server import ENVIRONMENT, server_command

START_SECONDS = 30.0


@dataclass(frozen=True)
class Served:
    """A running server, and the keys of its demo."""

    port: int
    home: Path
    pid: int
    runtime_key: str
    principal_key: str
    password: str  # of the login `principal`

    def headers(self, key: str | None = None) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {key or self.runtime_key}",
            "Content-Type": "application/json",
        }

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        """One request outside any measurement."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1{path}",
            None if body is None else json.dumps(body).encode(),
            self.headers(key),
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def open_running(self, id: str) -> str:
        body = {"objective": "Measure an append", "id": id, "start": True}
        return str(self.call("POST", "/processes", body)["id"])

    def rss_mib(self) -> float:
        """Of the server and its worker together."""
        return sum(map(rss_kib, [self.pid, *_children(self.pid)])) / 1024

    def held_mib(self) -> float:
        """Of both, what they share counted once, whoever else on the machine runs the same
        files: the worker is forked, and the sum of two RSS counts the interpreter twice.
        """
        pids = [self.pid, *_children(self.pid)]
        files = max(_kib(pid, "status", "RssFile:") for pid in pids)
        return (sum(_kib(pid, "smaps_rollup", "Pss_Anon:") for pid in pids) + files) / 1024

    def cpu_seconds(self) -> float:
        """Of the server and its worker together, since they began."""
        return sum(map(cpu_of, [self.pid, *_children(self.pid)]))


@contextmanager
def served(
    application: str = "dalhc.asgi:application",
    *,
    filled: int = 0,
    words: bool = False,
    crowd: int = 0,
    **environment: str,
) -> Iterator[Served]:
    """Serve until the block ends. `application` may be a front without the short ways; `filled`
    is how many suspensions wait from the beginning, with `words` found by the search too;
    `crowd` is how many run, with ten steps each.
    """
    with tempfile.TemporaryDirectory(prefix="dalhc-bench-") as folder:
        home, port = Path(folder), _free_port()
        told = {
            "DALHC_HOME": str(home),
            "PORT": str(port),
            # One key stands for a whole host of runtimes here.
            "DALHC_RATE": "0",
            "DALHC_OPEN_PER_AGENT": "1000000",
            **environment,
        }
        _prepare({**os.environ, **told}, filled, words, crowd)
        with _running(home, port, told, application) as server:
            demo = json.loads((home / "demo.json").read_text())
            keys = demo["runtime_key"], demo["principal_key"]
            yield Served(port, home, server.pid, *keys, demo["logins"]["principal"])


@contextmanager
def beside(first: Served, **environment: str) -> Iterator[Served]:
    """One more server on the data of `first`, with its keys."""
    port = _free_port()
    told = {"DALHC_HOME": str(first.home), "PORT": str(port), "DALHC_RATE": "0", **environment}
    with _running(first.home, port, told) as server:
        yield replace(first, port=port, pid=server.pid)


@contextmanager
def _running(
    home: Path,
    port: int,
    told: dict[str, str],
    application: str = "dalhc.asgi:application",
) -> Iterator[subprocess.Popen[bytes]]:
    log = home / f"server-{port}.log"
    # A file: in a pipe that nobody empties, its log stops the server after 64 KiB.
    with log.open("wb") as told_so_far:
        server = subprocess.Popen(
            server_command(port, application=application),
            env={**os.environ, **ENVIRONMENT, **told},
            stdout=subprocess.DEVNULL,
            stderr=told_so_far,
        )
    try:
        _wait_until_up(port, log, server)
        yield server
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)


def _prepare(environment: dict[str, str], filled: int, words: bool, crowd: int) -> None:
    commands = [["manage.py", "prepare"]]
    if filled:
        commands.append(["-m", "benches.fill", str(filled), *(["words"] if words else [])])
    if crowd:
        commands.append(["-m", "benches.crowd", str(crowd)])
    for command in commands:
        subprocess.run(
            [sys.executable, *command], env=environment, check=True, stdout=subprocess.DEVNULL
        )


def _wait_until_up(port: int, log: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if server.poll() is not None:
            said = log.read_text()[-2000:]
            raise RuntimeError(f"the server ended: {said!r}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"the server answers {error.code}") from error
        except OSError:
            time.sleep(0.05)  # nothing to wait on: the port is not there yet
    raise RuntimeError("the server did not come up")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def rss_kib(pid: int) -> int:
    return _kib(pid, "status", "VmRSS:")


def _kib(pid: int, file: str, name: str) -> int:
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise RuntimeError(f"process {pid} is gone")


def cpu_of(pid: int) -> float:
    """Seconds of the processor since it began."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_alive(pid: int) -> bool:
    """Running, and not a zombie that nobody has waited for."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
