"""One durable step over HTTP with everything on: through Django, on the short way, and in
lists of 100.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from benches.common import Result, Sample, Target, bench
from benches.floor import group_commit_sample
from benches.load import Request, http_loop
from benches.served import Served, served

SECONDS = 4.0
CLIENTS = (1, 8, 32)
FOR_DJANGO = {1: (700, 20), 8: (1_500, 25), 32: (1_800, 60)}
STEP = {
    "tool": "read_ledger",
    "args": {"bucket": "prod-ledger", "month": "2026-03", "page": "{client}-{n}"},
    "success": True,
    "result_digest": "412 entries, 3 of them absent from prod-ledger. " * 4,
    "artifacts": ["ledgers/march/diff.csv"],
}


def main() -> int:
    with (
        served("benches.django_only:application") as django,
        served() as short,
    ):
        cases: dict[str, Callable[[], Sample]] = {}
        for clients in CLIENTS:
            cases[f"floor, {clients}"] = partial(group_commit_sample, clients)
            cases[f"django, {clients}"] = appending(django, clients)
            cases[f"short, {clients}"] = appending(short, clients)
        cases["lists of 100, 4"] = in_lists(short, 4)
        return bench("append", cases, targets=targets)


def appending(server: Served, clients: int) -> Callable[[], Sample]:
    """Each client appends to a process of its own."""
    runs = iter(range(1_000))

    def case() -> Sample:
        run = next(runs)
        names = [f"bench-{clients}-{run}-{n}" for n in range(clients)]
        for name in names:
            server.open_running(name)
        path = f"/api/v1/processes/bench-{clients}-{run}-{{client}}/steps"
        request = Request("POST", path, server.headers(), json.dumps(STEP))
        return http_loop(server.port, clients, SECONDS, request, expect=[201])

    return case


def in_lists(server: Served, clients: int) -> Callable[[], Sample]:
    """The rate is of steps, not of requests."""
    runs = iter(range(1_000))

    def case() -> Sample:
        run = next(runs)
        for client in range(clients):
            server.open_running(f"lists-{run}-{client}")
        steps = [{**STEP, "args": {"page": f"{{client}}-{{n}}-{n}"}} for n in range(100)]
        path = f"/api/v1/processes/lists-{run}-{{client}}/steps"
        request = Request("POST", path, server.headers(), json.dumps(steps))
        found = http_loop(server.port, clients, SECONDS, request, expect=[201])
        return Sample(found.per_second * 100, found.p50, found.p99, found.max, found.calls)

    return case


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    found: list[Target] = []
    for clients, (rate, p99) in FOR_DJANGO.items():
        case = results[f"django, {clients}"]
        found.append((f"django, {clients}: >= {rate}/s", case.per_second >= rate))
        found.append((f"django, {clients}: p99 <= {p99} ms", case.p99 <= p99))
    base = results["floor, 32"].per_second
    ratios = {name: results[f"{name}, 32"].per_second / base for name in ("django", "short")}
    found.append(
        (f"django, 32: {ratios['django']:.2f} of the floor (>= 0.15)", ratios["django"] >= 0.15)
    )
    found.append(
        (f"short, 32: {ratios['short']:.2f} of the floor (>= 0.4)", ratios["short"] >= 0.4)
    )
    found.append(("short, 32: p99 <= 25 ms", results["short, 32"].p99 <= 25))
    lists = results["lists of 100, 4"].per_second
    found.append(("lists of 100: >= 12,000 steps/s", lists >= 12_000))
    return found


if __name__ == "__main__":
    sys.exit(main())
