"""200 questions declined at once, for a person's program, among 100,000 that wait."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from benches.common import Result, Sample, Target, bench, sample
from benches.served import Served, served

EACH = 200
ROUNDS = 3  # a trial


def main() -> int:
    with served(filled=100_000) as server:
        return bench("bulk", {f"{EACH} at once": lambda: declined(server)}, targets=targets)


def declined(server: Served) -> Sample:
    """A few requests of 200 each, one after the other; reading the list is not counted."""
    taken, begun = [], time.perf_counter()
    for _ in range(ROUNDS):
        address = f"/suspensions?reason=ask_user&limit={EACH}"
        found = server.call("GET", address, key=server.principal_key)["results"]
        items = [{name: one[name] for name in ("id", "review_digest")} for one in found]
        body = {"action": "decline", "note": "Not this week.", "items": items}
        start = time.perf_counter()
        told = server.call("POST", "/suspensions/bulk", body, key=server.principal_key)
        taken.append(time.perf_counter() - start)
        if told["done"] != EACH:
            raise RuntimeError(f"only {told['done']} of {EACH} were done")
    return sample(taken, time.perf_counter() - begun)


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    worst = max(result.max for result in results.values())
    return [(f"{EACH} at once: at most {worst:,.0f} ms (<= 1,500)", worst <= 1_500)]


if __name__ == "__main__":
    sys.exit(main())
