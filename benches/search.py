"""Searching 100,000 processes: one word that all have, one that few have, one that none has."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial

from benches.common import Result, Sample, Target, bench
from benches.inbox import log_in
from benches.load import Request, http_loop
from benches.served import served

SECONDS = 3.0
WORDS = {
    "in all": "ledgers",
    "in a few": "99999",
    "in none": "zebra",
    "and another": "bank+statement",
}


def main() -> int:
    with served(filled=100_000, words=True) as server:
        cookie, _ = log_in(server)

        def searched(word: str) -> Sample:
            request = Request("GET", f"/search/?q={word}", {"Cookie": cookie})
            return http_loop(server.port, 1, SECONDS, request)

        cases = {f"a word {name}": partial(searched, word) for name, word in WORDS.items()}
        return bench("search", cases, targets=targets)


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    return [
        (f"{name}: p50 {result.p50:.1f} ms (<= 100)", result.p50 <= 100)
        for name, result in results.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
