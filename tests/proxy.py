"""A TCP proxy between a server and its PostgreSQL that misbehaves when it is told to."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import deque
from contextlib import suppress
from threading import Event, Lock
from typing import Literal

from psycopg.conninfo import conninfo_to_dict

type Fault = Literal[
    "reply_dropped",  # COMMIT is done, its reply is not passed on, and the line is cut
    "commit_cut",  # COMMIT does not arrive, and the line is cut
    "reset",  # the line is reset at whatever is said next
    "reply_swallowed",  # COMMIT is done, and from there on the line is silent
    "commit_swallowed",  # COMMIT does not arrive, and from there on the line is silent
    "silent",  # whatever is said next, and all after it, goes nowhere
]
QUICK: tuple[Fault, ...] = ("reply_dropped", "commit_cut", "reset")
SILENT: tuple[Fault, ...] = ("reply_swallowed", "commit_swallowed", "silent")
COMMIT = b"COMMIT\0"
SIZE = 65_536


class Proxy:
    """Listens on a port of the loopback; each fault that is armed strikes one connection, once.

    A silent line stays up: what is sent there is acknowledged and lost, as behind a proxy whose
    other side has gone. `let_go` ends all of them.
    """

    def __init__(self, address: str) -> None:
        self._said = conninfo_to_dict(address)
        self._faults: deque[Fault] = deque()
        self._lock, self._struck = Lock(), 0
        self._lines: set[_Line] = set()
        self.silence = Event()  # while set, every line is silent, new ones too
        self._door = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._welcome, daemon=True).start()

    @property
    def url(self) -> str:
        user, password = self._said.get("user"), self._said.get("password")
        who = f"{user}:{password}" if password else user
        place = f"{who}@127.0.0.1:{self.port}/{self._said['dbname']}"
        return f"postgres://{place}?sslmode=disable&gssencmode=disable"

    def arm(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    @property
    def struck(self) -> int:
        """How many faults have met somebody."""
        return self._struck

    def let_go(self) -> None:
        """End what is silent, on both sides."""
        with self._lock:
            silent = [line for line in self._lines if line.is_silent or line.lost]
        self.silence.clear()
        for line in silent:
            line.cut()

    def close(self) -> None:
        self._door.close()
        with self._lock:
            lines = list(self._lines)
        for line in lines:
            line.cut()
        deadline = time.monotonic() + 5
        while self._lines and time.monotonic() < deadline:
            time.sleep(0.01)

    def strike(self, said: bytes) -> Fault | None:
        """The fault for a line on which a client says this."""
        with self._lock:
            for fault in self._faults:
                if COMMIT in said or fault in {"reset", "silent"}:
                    self._faults.remove(fault)
                    self._struck += 1
                    return fault
        return None

    def forget(self, line: _Line) -> None:
        with self._lock:
            self._lines.discard(line)

    def _welcome(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            try:
                server = self._reach()
            except OSError:
                client.close()
                continue
            line = _Line(self, client, server)
            with self._lock:
                self._lines.add(line)
            line.start()

    def _reach(self) -> socket.socket:
        host, port = str(self._said.get("host", "")), self._said.get("port") or 5432
        if not host.startswith("/"):
            return socket.create_connection((host or "127.0.0.1", int(port)))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server


class _Line:
    """One connection, both ways."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._is_silent = False
        self._drops_reply: Fault | None = None
        self.lost = False  # something that was said on it
        self._ways = 2  # that are open
        self._ending = Lock()

    @property
    def is_silent(self) -> bool:
        return self._is_silent or self._proxy.silence.is_set()

    def start(self) -> None:
        for work in (self._ask, self._answer):
            threading.Thread(target=work, daemon=True).start()

    def cut(self) -> None:
        for end in (self._client, self._server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _ask(self) -> None:
        """From the client to the server; here the faults strike."""
        with suppress(OSError):
            while said := self._client.recv(SIZE):
                fault = None if self.is_silent else self._proxy.strike(said)
                if fault is not None and not self._suffers(fault):
                    continue
                if self.is_silent:
                    self.lost = True
                else:
                    self._server.sendall(said)
        self._end()

    def _suffers(self, fault: Fault) -> bool:
        """Let the fault happen; whether what was said is still passed on."""
        match fault:
            case "reply_dropped" | "reply_swallowed":
                self._drops_reply = fault
                return True
            case "commit_cut":
                self.cut()
            case "reset":
                self._client.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self._client.close()
                self.cut()
            case "commit_swallowed" | "silent":
                self._is_silent = True
        return False

    def _answer(self) -> None:
        """From the server to the client."""
        with suppress(OSError):
            while said := self._server.recv(SIZE):
                if self._drops_reply == "reply_dropped":
                    break
                if self._drops_reply == "reply_swallowed":
                    self._is_silent = True
                if not self.is_silent:
                    self._client.sendall(said)
        self._end()

    def _end(self) -> None:
        """A silent line does not even say that its other end has gone."""
        if not self.is_silent:
            self.cut()
        with self._ending:
            self._ways -= 1
            if not self._ways:
                self._client.close()
                self._server.close()
                self._proxy.forget(self)
