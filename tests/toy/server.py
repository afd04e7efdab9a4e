"""The toy behind a real granian, for tests over real sockets."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from dalhc.server import ENVIRONMENT, server_command

ROOT = Path(__file__).resolve().parents[2]


class Server:
    """A running server; `log` is what it said on stderr."""

    def __init__(self, home: Path, application: str, **environment: str) -> None:
        self.port = free_port()
        self._log = home / "server.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                server_command(self.port, application=application),
                cwd=ROOT,
                env={**os.environ, **ENVIRONMENT, "TOY_HOME": str(home), **environment},
                stdout=log,
                stderr=log,
            )

    @property
    def log(self) -> str:
        return self._log.read_text()

    def wait_until_up(self) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                if b" 200 " in self.ask("GET", "/state")[:15]:
                    return
            time.sleep(0.05)
        raise AssertionError(f"the server did not come up: {self.log}")

    def connect(self, timeout: float = 20) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def ask(self, method: str, path: str, body: bytes = b"", *headers: str) -> bytes:
        """One request on a connection of its own; the whole answer, head and body."""
        with self.connect() as connection:
            connection.sendall(
                head(method, path, f"Content-Length: {len(body)}", *headers) + body
            )
            return read_all(connection)

    def stop(self) -> float:
        """End it as an operator would; the seconds that took."""
        begun = time.monotonic()
        self.process.terminate()
        self.process.wait(30)
        return time.monotonic() - begun


def head(method: str, path: str, *headers: str) -> bytes:
    """A request's head. The connection closes after the answer."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_all(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(1 << 20):
        found += chunk
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def serving(home: Path, application: str = "tests.toy.asgi:application") -> Iterator[Server]:
    server = Server(home, application)
    try:
        server.wait_until_up()
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
