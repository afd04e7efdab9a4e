"""A good client while 10,000 hostile requests come over 16 connections: how much slower it is,
and what the server keeps of them. `python -m benches.hostile [COUNT [PER_SECOND]]`.
"""

from __future__ import annotations

import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benches.attacking import Outcome, attack
from benches.common import Sample, keep
from benches.hostility import Target
from benches.load import Request, http_loop
from benches.served import Served, served

COUNT, PER_SECOND, CONNECTIONS = 10_000, 100.0, 16
IDLE_SECONDS = 20.0
MOST_MIB = 50.0


def main() -> int:
    words = sys.argv[1:]
    count = int(words[0]) if words else COUNT
    per_second = float(words[1]) if words[1:] else PER_SECOND
    with served() as server:
        server.open_running("good")
        server.open_running("attacked")
        target = Target(server.port, server.runtime_key, "attacked")
        attack(server.port, target.all(), 500, connections=CONNECTIONS)  # what is loaded lazily
        idle = good_client(server, IDLE_SECONDS)
        before = server.rss_mib()
        with attacked(server, target, count, per_second) as outcomes:
            meanwhile = good_client(server, count / per_second)
        grown = server.rss_mib() - before
        after = good_client(server, IDLE_SECONDS)
    return told(count, per_second, idle, meanwhile, after, grown, outcomes[0])


def good_client(server: Served, seconds: float) -> Sample:
    """Appends, one after the other; any refusal fails the bench."""
    body = '{"tool":"run","args":{"client":{client},"n":"{n} NONCE"},"success":true}'
    body = body.replace("{client}", "0").replace("NONCE", str(threading.get_native_id()))
    wanted = Request("POST", "/api/v1/processes/good/steps", server.headers(), body)
    return http_loop(server.port, 1, seconds, wanted)


@contextmanager
def attacked(
    server: Served, target: Target, count: int, per_second: float
) -> Iterator[list[Outcome]]:
    """The list has the outcome when the block has ended."""
    found: list[Outcome] = []

    def run() -> None:
        found.append(
            attack(
                server.port, target.all(), count,
                connections=CONNECTIONS, per_second=per_second, seed=7,
            )
        )  # fmt: skip

    thread = threading.Thread(target=run)
    thread.start()
    yield found
    thread.join()


def told(
    count: int, per_second: float, idle: Sample, meanwhile: Sample, after: Sample,
    grown: float, outcome: Outcome,
) -> int:  # fmt: skip
    """Print, and keep the figures when all was reached."""
    base = statistics.mean([idle.p99, after.p99])
    slowest = sorted(outcome.slowest.items(), key=lambda one: -one[1])[:5]
    reached = [
        (f"p99 {meanwhile.p99:.1f} ms while attacked, {base:.1f} alone (< 2 x)",
         meanwhile.p99 < 2 * base),
        (f"memory grew by {grown:.0f} MiB (< {MOST_MIB:.0f})", grown < MOST_MIB),
        (f"{count:,} hostile requests, {len(outcome.wrong)} answered wrongly (0)",
         not outcome.wrong),
    ]  # fmt: skip
    for text, ok in reached:
        print(f"  {'reached' if ok else 'MISSED '}  {text}")
    for text in [*outcome.wrong[:10], *(f"{ms * 1000:.0f} ms {name}" for name, ms in slowest)]:
        print(f"           {text}")
    if not all(ok for _, ok in reached):
        return 1
    extra: dict[str, Any] = {
        "hostile_per_second": per_second,
        "connections": CONNECTIONS,
        "statuses": {str(status): n for status, n in sorted(outcome.statuses.items())},
        "idle_p99_ms": [idle.p99, after.p99],
        "attacked": {
            "p50_ms": meanwhile.p50,
            "p99_ms": meanwhile.p99,
            "calls": meanwhile.calls,
        },
        "grown_mib": grown,
    }
    keep("hostile", {}, reached, extra)
    return 0


if __name__ == "__main__":
    sys.exit(main())
