"""What a server holds in memory, both its processes together: idle, and with a thousand
long-polls; and how long it takes to end among 200.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

from benches.common import settled, tried
from benches.served import Served, is_alive, served
from benches.waiters import Waiters
from benches.wake import ask


def main() -> int:
    trials = [measured() for _ in range(3)]
    idle, waited, ended = (tried(one) for one in zip(*trials, strict=True))
    told: dict[str, Any] = {"idle_mib": idle, "waiting_1000_mib": waited, "end_s": ended}
    most = {name: max(one["trials"]) for name, one in told.items()}
    reached = [
        (f"idle: {most['idle_mib']:.0f} MiB (<= 140)", most["idle_mib"] <= 140),
        (f"1,000 waiters: {most['waiting_1000_mib']:.0f} MiB (<= 160)",
         most["waiting_1000_mib"] <= 160),
        (f"SIGTERM among 200 waiters: {most['end_s']:.1f} s (<= 10)", most["end_s"] <= 10),
    ]  # fmt: skip
    return settled("memory", reached, told)


def measured() -> tuple[float, float, float]:
    """MiB idle, MiB with a thousand who wait, seconds to end among two hundred."""
    with served() as server:
        idle = server.held_mib()
        lines = Waiters(server, waiting(server, "many", 1_000))
        time.sleep(1.5)  # every waiter has arrived
        waited = server.held_mib()
        lines.close()
    with served() as server:
        lines = Waiters(server, waiting(server, "some", 200))
        time.sleep(1)
        ended = seconds_to_end(server)
        lines.close()
    return idle, waited, ended


def waiting(server: Served, word: str, number: int) -> list[str]:
    names = [f"{word}-{n}" for n in range(number)]
    for name in names:
        server.open_running(name)
        ask(server, name, 0)
    return names


def seconds_to_end(server: Served) -> float:
    begun = time.perf_counter()
    os.kill(server.pid, signal.SIGTERM)
    while is_alive(server.pid) and time.perf_counter() - begun < 20:
        time.sleep(0.02)  # a process that is not ours to wait for
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
