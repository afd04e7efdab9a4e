"""Whether the time that a refusal takes tells a guesser anything: a key that never was, the
right name of one with another secret, and one that was revoked (threat T17).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from benches.common import Result, Sample, Target, bench
from benches.load import Request, http_loop
from benches.served import Served, served

TRIALS, SECONDS, CALLS = 25, 1.0, 10_000
ISSUE = """
import django
django.setup()
from processes import services
by = services.Actor("principal", "admin", scopes=frozenset({"read", "admin"}))
key, text = services.issue_key("guessed", agent="guessed", scopes=["journal"], by=by)
services.revoke_key(key.id, by=by)
print(text)
"""


def main() -> int:
    with served() as server:
        return bench("guessing", cases(server), trials=TRIALS, targets=targets)


def cases(server: Served) -> dict[str, Callable[[], Sample]]:
    name, _, secret = server.runtime_key.rpartition("_")
    keys = {
        "no such key": f"dalhc_{'z' * (len(name) - len('dalhc_'))}_{secret}",
        "another secret": f"{name}_{secret[::-1]}",
        "a revoked key": revoked(server),
    }
    return {said: refused(server, key) for said, key in keys.items()}


def revoked(server: Served) -> str:
    """The text of a key that opened something once."""
    told = {"DALHC_HOME": str(server.home), "DJANGO_SETTINGS_MODULE": "dalhc.settings"}
    done = subprocess.run(
        [sys.executable, "-c", ISSUE], env={**os.environ, **told}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def refused(server: Served, key: str) -> Callable[[], Sample]:
    asked = Request("GET", "/api/v1/processes", server.headers(key))
    return lambda: http_loop(server.port, 1, SECONDS, asked, expect=[401])


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    """Two kinds of refusal differ by less than one kind does from itself."""
    calls = sum(result.calls for result in results.values())
    found: list[Target] = [(f"{calls:,} refusals (>= {CALLS:,})", calls >= CALLS)]
    for (one, first), (other, second) in combinations(results.items(), 2):
        apart = abs(first.p50 - second.p50)
        noise = max(map(noise_of, (first, second)))
        said = f"{one}, {other}: {apart:.3f} ms apart (< {noise:.3f}, which is the noise)"
        found.append((said, apart < noise))
    return found


def noise_of(result: Result) -> float:
    """How far the medians of its trials stand from each other (standard deviation, ms)."""
    return statistics.stdev(trial.p50 for trial in result.trials)


if __name__ == "__main__":
    sys.exit(main())
