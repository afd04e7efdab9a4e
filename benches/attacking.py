"""Hostile requests by many at once, and what became of them."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benches.hostility import Hostile

SECONDS = 30.0  # for an answer


@dataclass
class Outcome:
    """How many by status (0: closed without one), what should not be, and how long it took."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)  # seconds, by name


def send(port: int, one: Hostile) -> int:
    """The status of the first answer; 0 when the connection ended without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as line:
        try:
            for part in one.parts:
                line.sendall(part)
                if one.pause:
                    time.sleep(one.pause)
            if one.leaves == "resets":
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return 0
            if one.leaves == "closes":
                line.shutdown(socket.SHUT_WR)
            return _status(line.recv(4096))
        except TimeoutError:
            raise
        except OSError:  # hung up on, at whatever call of ours
            return 0


def _status(answer: bytes) -> int:
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.") else 0


def attack(
    port: int,
    hostiles: Sequence[Hostile],
    count: int,
    *,
    connections: int = 16,
    per_second: float = 0.0,
    seed: int = 1,
) -> Outcome:
    """So many of them in a random order, by so many at once; `per_second` paces them all
    together (0: as fast as they are answered).
    """
    chance = random.Random(seed)
    order = [chance.choice(hostiles) for _ in range(count)]
    outcome, taking = Outcome(), threading.Lock()
    begun = time.monotonic()

    def next_one() -> tuple[int, Hostile] | None:
        with taking:
            return (len(order), order.pop()) if order else None

    def client() -> None:
        while (found := next_one()) is not None:
            left, one = found
            if per_second:
                time.sleep(max(0.0, begun + (count - left) / per_second - time.monotonic()))
            _note(outcome, taking, one, *_timed(port, one))

    threads = [threading.Thread(target=client) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcome


def _timed(port: int, one: Hostile) -> tuple[int | Exception, float]:
    begun = time.perf_counter()
    try:
        told: int | Exception = send(port, one)
    except OSError as error:  # nobody there, or no answer in time
        told = error
    return told, time.perf_counter() - begun


def _note(
    outcome: Outcome,
    taking: threading.Lock,
    one: Hostile,
    told: int | Exception,
    seconds: float,
) -> None:
    with taking:
        if isinstance(told, Exception):
            outcome.wrong.append(f"{one.name}: {told!r}")
            return
        outcome.statuses[told] += 1
        outcome.slowest[one.name] = max(seconds, outcome.slowest.get(one.name, 0.0))
        if told >= 500 or (200 <= told < 300 and not one.taken):
            outcome.wrong.append(f"{one.name}: {told}")
