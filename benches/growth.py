"""The 100,000th step costs what the 10th did, and a page of steps reads only itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from benches.append import STEP
from benches.common import Result, Sample, Target, bench
from benches.load import Request, http_loop
from benches.served import Served, served

MANY = 100_000
_runs = count()


def main() -> int:
    with served() as server:
        grow(server, "short", 10)
        grow(server, "long", MANY)
        cases = {
            "append after 10": appending(server, "short"),
            f"append after {MANY:,}": appending(server, "long"),
            "page of 10": paging(server, "short", 0),
            "page in the middle": paging(server, "long", MANY // 2),
        }
        return bench("growth", cases, targets=targets)


def grow(server: Served, name: str, steps: int) -> None:
    server.open_running(name)
    for first in range(0, steps, 100):
        batch = [{**STEP, "args": {"n": n}} for n in range(first, min(steps, first + 100))]
        server.call("POST", f"/processes/{name}/steps", batch)


def appending(server: Served, name: str) -> Callable[[], Sample]:
    def case() -> Sample:
        step = {**STEP, "args": {"run": next(_runs), "n": "{n}"}}
        path = f"/api/v1/processes/{name}/steps"
        request = Request("POST", path, server.headers(), json.dumps(step))
        return http_loop(server.port, 1, 2.0, request, expect=[201])

    return case


def paging(server: Served, name: str, after: int) -> Callable[[], Sample]:
    path = f"/api/v1/processes/{name}/steps?after={after}&limit=10"
    return lambda: http_loop(server.port, 1, 1.0, Request("GET", path, server.headers()))


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    grown = results[f"append after {MANY:,}"].p50 / results["append after 10"].p50
    paged = results["page in the middle"].p50 / results["page of 10"].p50
    return [
        (f"append: {grown:.2f} x (<= 1.2)", grown <= 1.2),
        (f"a page of ten: {paged:.2f} x (<= 1.5)", paged <= 1.5),
    ]


if __name__ == "__main__":
    sys.exit(main())
