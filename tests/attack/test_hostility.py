"""Every hostile request is refused or left, and none of them hurts who comes after (T25)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benches.attacking import attack, send
from benches.hostility import Hostile, Target
from tests.serving import Served

COUNT = 10_000 if os.environ.get("PROVE") else 300
GROWN_MIB = 50


@pytest.fixture(scope="module")
def attacked(served: Served) -> Target:
    body = {"objective": "o", "id": "attacked", "start": True}
    served.runtime.post("processes", json=body).raise_for_status()
    return Target(served.port, served.keys[0], "attacked")


@pytest.fixture(scope="module")
def hostiles(attacked: Target) -> list[Hostile]:
    return attacked.all()


def rss_mib(pid: int) -> float:
    """Of the server and its worker."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = (
        line
        for one in (str(pid), *children)
        for line in Path(f"/proc/{one}/status").read_text().splitlines()
        if line.startswith("VmRSS:")
    )
    return sum(int(line.split()[1]) for line in found) / 1024


def test_each_is_refused_in_words_or_hung_up_on(
    served: Served, hostiles: list[Hostile]
) -> None:
    assert len(hostiles) > 150
    steps = served.runtime.get("processes/attacked/journal").json()["steps"]
    wrong = []
    for one in hostiles:
        status = send(served.port, one)
        if status >= 500 or (200 <= status < 300 and not one.taken):
            wrong.append((one.name, status))
    assert wrong == []
    assert served.runtime.get("processes/attacked/journal").json()["steps"] == steps


def test_many_at_once_leave_no_trace_and_keep_nobody_waiting(
    served: Served, hostiles: list[Hostile]
) -> None:
    attack(served.port, hostiles, 100)  # what is loaded lazily
    before = rss_mib(served.process.pid)
    outcome = attack(served.port, hostiles, COUNT)
    assert outcome.wrong == []
    assert served.runtime.get("processes/attacked").json()["state"] == "running"
    assert rss_mib(served.process.pid) - before < GROWN_MIB
    assert served.process.poll() is None
    assert "Traceback" not in served.log


SMUGGLED = b"GET /api/v1/processes/smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
END = b"0\r\n\r\n"
AMBIGUOUS = {
    "chunks and a length": (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", END),
    "a length and chunks": (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", END),
    "chunks spelled oddly": (b"Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n", END),
    "chunks with a tab": (b"Transfer-Encoding:\x0bchunked\r\nContent-Length: 5\r\n", END),
    "a name with a space": (b"Content-Length : 5\r\n", b"hello"),
    "two lengths": (b"Content-Length: 0\r\nContent-Length: 5\r\n", b"hello"),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_request_that_can_be_read_in_two_ways_is_one_or_none(
    served: Served, name: str
) -> None:
    """A proxy that reads it the other way must not be answered what was hidden in it."""
    lines, body = AMBIGUOUS[name]
    head = b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + lines + b"\r\n"
    with served.connection() as line:
        line.sendall(head + body + SMUGGLED)
        line.shutdown(1)
        told = b""
        while chunk := line.recv(65_536):
            told += chunk
    assert told.count(b"HTTP/1.1 ") <= 1, told
