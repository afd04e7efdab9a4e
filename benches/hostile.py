"""A good client while 10,000 hostile requests come over 16 connections: how much slower it is,
and what the server keeps of them. `python -m benches.hostile [COUNT [PER_SECOND]]`.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benches.attacking import Outcome, attack
from benches.common import Sample, settled, tried
from benches.hostility import Target
from benches.load import Request, http_loop
from benches.served import Served, served

COUNT, PER_SECOND, CONNECTIONS = 10_000, 100.0, 16
ALONE_SECONDS, TRIALS = 15.0, 3
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
        before, trials = server.rss_mib(), []
        for trial in range(TRIALS):
            trials.append(Trial.of(server, target, -(-count // TRIALS), per_second, trial))
        grown = server.rss_mib() - before
    return told(count, per_second, trials, grown)


@dataclass(frozen=True)
class Trial:
    """The good client alone and while attacked; what became of the attack."""

    alone: Sample
    attacked: Sample
    outcome: Outcome

    @classmethod
    def of(
        cls, server: Served, target: Target, count: int, per_second: float, number: int
    ) -> Trial:
        alone = good_client(server, ALONE_SECONDS)
        with attacked(server, target, count, per_second, number) as outcomes:
            meanwhile = good_client(server, count / per_second)
        return cls(alone, meanwhile, outcomes[0])


def good_client(server: Served, seconds: float) -> Sample:
    """Appends, one after the other; any refusal fails the bench."""
    body = '{"tool":"run","args":{"client":{client},"n":"{n} NONCE"},"success":true}'
    body = body.replace("{client}", "0").replace("NONCE", str(threading.get_native_id()))
    wanted = Request("POST", "/api/v1/processes/good/steps", server.headers(), body)
    return http_loop(server.port, 1, seconds, wanted)


@contextmanager
def attacked(
    server: Served, target: Target, count: int, per_second: float, seed: int
) -> Iterator[list[Outcome]]:
    """The list has the outcome when the block has ended."""
    found: list[Outcome] = []

    def run() -> None:
        found.append(
            attack(
                server.port, target.all(), count,
                connections=CONNECTIONS, per_second=per_second, seed=seed,
            )
        )  # fmt: skip

    thread = threading.Thread(target=run)
    thread.start()
    yield found
    thread.join()


def told(count: int, per_second: float, trials: Sequence[Trial], grown: float) -> int:
    """Print, and keep the figures when all was reached."""
    alone = tried([one.alone.p99 for one in trials])
    attacked = tried([one.attacked.p99 for one in trials])
    wrong = [text for one in trials for text in one.outcome.wrong]
    statuses = sum((one.outcome.statuses for one in trials), Counter[int]())
    reached = [
        (f"p99 {attacked['median']:.1f} ms while attacked, {alone['median']:.1f} alone (< 2 x)",
         attacked["median"] < 2 * alone["median"]),
        (f"memory grew by {grown:.0f} MiB (< {MOST_MIB:.0f})", grown < MOST_MIB),
        (f"{count:,} hostile requests, {len(wrong)} answered wrongly (0)", not wrong),
    ]  # fmt: skip
    for text in [*wrong[:10], *slowest(trials)]:
        print(f"           {text}")
    extra: dict[str, Any] = {
        "hostile_per_second": per_second,
        "connections": CONNECTIONS,
        "statuses": {str(status): n for status, n in sorted(statuses.items())},
        "alone_p99_ms": alone,
        "attacked_p99_ms": attacked,
        "attacked_p50_ms": tried([one.attacked.p50 for one in trials]),
        "grown_mib": grown,
    }
    return settled("hostile", reached, extra, whole=count >= COUNT)


def slowest(trials: Sequence[Trial]) -> list[str]:
    """The hostile requests that took longest, in words."""
    found = [pair for one in trials for pair in one.outcome.slowest.items()]
    found.sort(key=lambda pair: -pair[1])
    return [f"{seconds * 1000:.0f} ms {name}" for name, seconds in found[:5]]


if __name__ == "__main__":
    sys.exit(main())
