"""A closed loop of HTTP clients in a process of its own, so that the server keeps its
interpreter to itself.

`http_loop(...)` starts it and gives the Sample. One thread and raw sockets: at these rates a
client library would be what is measured.
"""

from __future__ import annotations

import json
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benches.common import Sample, sample

ANSWER_SECONDS = 60.0


@dataclass(frozen=True)
class Request:
    """`{client}` and `{n}` in path and body become the client's number and its call's; `{few}`
    is the last begun anew after every 900.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


def http_loop(
    port: int | Sequence[int],
    clients: int,
    seconds: float,
    request: Request,
    *,
    expect: Sequence[int] = (200, 201),
) -> Sample:
    """Each client calls again as soon as it is answered. Any other status fails. Of several
    ports each client has one.
    """
    order = {
        "ports": [port] if isinstance(port, int) else list(port),
        "clients": clients,
        "seconds": seconds,
        "expect": list(expect),
        "request": vars(request) | {"headers": dict(request.headers)},
    }
    done = subprocess.run(
        [sys.executable, "-m", "benches.load"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the load failed: {done.stderr.strip()[-500:]}")
    told = json.loads(done.stdout)
    return sample(told["seconds"], told["elapsed"])


class Client:
    """One keep-alive connection, one call in flight."""

    def __init__(self, number: int, order: Mapping[str, Any]) -> None:
        self.number = number
        self.calls = 0
        self.taken: list[float] = []
        self._order = order
        self._buffer = b""
        self._begun = 0.0
        ports = order["ports"]
        self.socket = socket.create_connection(("127.0.0.1", ports[number % len(ports)]))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self) -> None:
        wanted = self._order["request"]
        body = self._filled(wanted["body"]).encode()
        lines = [
            f"{wanted['method']} {self._filled(wanted['path'])} HTTP/1.1",
            "Host: 127.0.0.1",
        ]
        lines += [f"{name}: {value}" for name, value in wanted["headers"].items()]
        lines.append(f"Content-Length: {len(body)}")
        self.calls += 1
        self._begun = time.perf_counter()
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode() + body)

    def take(self) -> bool:
        """Read what has come; True when the answer is whole."""
        chunk = self.socket.recv(1 << 20)
        if not chunk:
            raise RuntimeError("the server closed the connection")
        self._buffer += chunk
        size = _whole(self._buffer)
        if size is None:
            return False
        self._check(self._buffer[:size])
        self._buffer = self._buffer[size:]
        self.taken.append(time.perf_counter() - self._begun)
        return True

    def _check(self, answer: bytes) -> None:
        status = int(answer[9:12])
        if status not in self._order["expect"]:
            raise RuntimeError(f"status {status}: {answer[-300:]!r}")

    def _filled(self, text: str) -> str:
        told = {"client": self.number, "n": self.calls, "few": self.calls % 900}
        for name, number in told.items():
            text = text.replace(f"{{{name}}}", str(number))
        return text


def _whole(buffer: bytes) -> int | None:
    """The size of the answer at the start of the buffer, once all of it is there."""
    head, found, _ = buffer.partition(b"\r\n\r\n")
    if not found:
        return None
    headers = head.lower().split(b"\r\n")[1:]
    lengths = [
        int(line.split(b":")[1]) for line in headers if line.startswith(b"content-length:")
    ]
    if lengths:
        size = len(head) + 4 + lengths[0]
        return size if len(buffer) >= size else None
    if b" 204 " in head[:13] or b" 304 " in head[:13]:
        return len(head) + 4
    raise RuntimeError(f"an answer without a length: {head!r}")


def main() -> None:
    order = json.load(sys.stdin)
    clients = [Client(number, order) for number in range(order["clients"])]
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.socket, selectors.EVENT_READ, client)
    begun = time.perf_counter()
    until, busy = begun + order["seconds"], len(clients)
    for client in clients:
        client.call()
    while busy:
        ready = selector.select(ANSWER_SECONDS)
        if not ready:
            raise RuntimeError(f"no answer in {ANSWER_SECONDS:.0f} s")
        for key, _ in ready:
            client = key.data
            if not client.take():
                continue
            if time.perf_counter() < until:
                client.call()
            else:
                busy -= 1
    elapsed = time.perf_counter() - begun
    json.dump(
        {"seconds": [each for client in clients for each in client.taken], "elapsed": elapsed},
        sys.stdout,
    )


if __name__ == "__main__":
    main()
