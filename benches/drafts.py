"""Saving a draft: one pause in someone's typing, with a login, among 10,000 questions."""

from __future__ import annotations

import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence

from benches.common import Result, Target, bench
from benches.inbox import log_in
from benches.load import Request, http_loop
from benches.served import Served, served

SECONDS = 3.0
TEXT = "The invoices are there, and the auditor asked for them. " * 10


def main() -> int:
    with served(filled=10_000) as server:
        save = saving(server)
        cases = {
            f"{people} typing": lambda n=people: http_loop(
                server.port, n, SECONDS, save, expect=[204]
            )
            for people in (1, 4)
        }
        return bench("drafts", cases, targets=targets)


def saving(server: Served) -> Request:
    """The request of the page's own script, for the oldest question."""
    cookie, inbox = log_in(server)
    address = _found(rb'href="(/processes/[^"]+/)"', inbox)
    ask = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{address}", headers={"Cookie": cookie}
    )
    page = urllib.request.urlopen(ask).read()
    fields = {
        "csrfmiddlewaretoken": _found(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page),
        "suspension_id": _found(rb'name="suspension_id" value="([^"]+)"', page),
        "action": "answer",
        "answer": TEXT,
    }
    body = f"{urllib.parse.urlencode(fields)}&typed_at={{n}}"
    headers = {
        "Cookie": cookie,
        "Content-Type": "application/x-www-form-urlencoded",
        "HX-Request": "true",
    }
    return Request("POST", f"{address}draft/", headers, body)


def _found(pattern: bytes, page: bytes) -> str:
    found = re.search(pattern, page)
    if found is None:
        raise RuntimeError(f"the page has no {pattern!r}")
    return found[1].decode()


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    return [
        (f"{name}: p99 {result.p99:.1f} ms (<= 20)", result.p99 <= 20)
        for name, result in results.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
