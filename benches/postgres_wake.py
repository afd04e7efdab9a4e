"""From a person's decision on one server to the runtime that waits for it on another, over one
PostgreSQL of the bench's own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from benches.common import Result, Target, bench
from benches.postgres_append import several
from benches.wake import deciding

SLOWEST = 100  # ms, of 99 in 100


def main() -> int:
    with several(2) as (here, there):
        cases = {
            "1 waiter": deciding(here, 1, there=there),
            "200 waiters": deciding(here, 200, there=there),
            "200 waiters, 32 clients append": deciding(here, 200, 32, there),
        }
        return bench("postgres_wake", cases, targets=targets)


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    return [
        (f"{name}: p99 {found.p99:.1f} ms (<= {SLOWEST} ms)", found.p99 <= SLOWEST)
        for name, found in results.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
