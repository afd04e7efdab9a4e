"""A server with a million processes and ten million steps beside one with a hundredth of that:
a list, a page of it, a whole record, an append.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import count

from benches.append import STEP
from benches.common import Result, Sample, Target, bench
from benches.inbox import log_in
from benches.load import Request, http_loop
from benches.served import Served, served

SECONDS = 1.5
FEW, MANY = 10_000, 1_000_000
TIMES = 1.5
OPERATIONS = ("list", "page", "record", "append")
_trials = count(1)


def main() -> int:
    with ExitStack() as stack:
        cases: dict[str, Callable[[], Sample]] = {}
        for size in (FEW, MANY):
            server = stack.enter_context(served(crowd=size))
            cases |= {
                _name(operation, size): case for operation, case in _cases(server).items()
            }
        return bench("loaded", cases, targets=targets)


def _cases(server: Served) -> dict[str, Callable[[], Sample]]:
    cookie, _ = log_in(server)
    reader = server.headers(server.principal_key)
    paths = {
        "list": ("/api/v1/processes?state=running&limit=50", reader),
        "page": ("/running/", {"Cookie": cookie}),
        "record": ("/api/v1/processes/crowd-{few}", reader),
    }
    asked = {name: Request("GET", path, headers) for name, (path, headers) in paths.items()}
    cases = {name: _asking(server, request) for name, request in asked.items()}
    return cases | {"append": _appending(server)}


def _asking(server: Served, request: Request) -> Callable[[], Sample]:
    return lambda: http_loop(server.port, 1, SECONDS, request, expect=[200])


def _appending(server: Served) -> Callable[[], Sample]:
    """To one process after the other, as many runtimes do; each time with other steps."""

    def case() -> Sample:
        step = {**STEP, "args": {"trial": next(_trials), "n": "{n}"}}
        path = "/api/v1/processes/crowd-1{few}/steps"
        request = Request("POST", path, server.headers(), json.dumps(step))
        return http_loop(server.port, 1, SECONDS, request, expect=[201])

    return case


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    found = []
    for operation in OPERATIONS:
        grown = results[_name(operation, MANY)].p50 / results[_name(operation, FEW)].p50
        found.append((f"{operation}: {grown:.2f} x (<= {TIMES})", grown <= TIMES))
    return found


def _name(operation: str, size: int) -> str:
    return f"{operation}, {size:,} processes"


if __name__ == "__main__":
    sys.exit(main())
