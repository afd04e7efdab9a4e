"""The inbox over HTTP, with a login: fifty rows of 1,000 and of 100,000, and a poll that finds
nothing new.
"""

from __future__ import annotations

import http.cookiejar
import re
import sys
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from benches.common import Result, Target, bench
from benches.load import Request, http_loop
from benches.served import Served, served

SECONDS = 2.0
SIZES = {"1,000": 1_000, "100,000": 100_000, "1,000,000": 1_000_000}
MOST_BYTES = 30_000
_bytes: dict[str, int] = {}


def main() -> int:
    with ExitStack() as stack:
        cases = {}
        for name, size in SIZES.items():
            server = stack.enter_context(served(filled=size))
            cookie, page = log_in(server)
            _bytes[name] = len(page)
            headers = {"Cookie": cookie}
            inbox, poll = (
                Request("GET", "/", headers),
                Request("GET", since(page), {**headers, "HX-Request": "true"}),
            )
            cases[f"inbox of {name}"] = lambda s=server, r=inbox: http_loop(
                s.port, 1, SECONDS, r
            )
            cases[f"poll of {name}"] = lambda s=server, r=poll: http_loop(
                s.port, 1, SECONDS, r, expect=[204]
            )
        return bench("inbox", cases, targets=targets, more=lambda: {"bytes": _bytes})


def log_in(server: Served) -> tuple[str, bytes]:
    """The Cookie header of a principal, and the inbox as it is then."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    base = f"http://127.0.0.1:{server.port}"
    form = opener.open(f"{base}/login/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
    if token is None:
        raise RuntimeError("the login page has no token")
    fields = {
        "csrfmiddlewaretoken": token[1],
        "username": "principal",
        "password": server.password,
    }
    page = opener.open(f"{base}/login/", urllib.parse.urlencode(fields).encode()).read()
    if b"Waiting on you" not in page:
        raise RuntimeError("the login did not lead to the inbox")
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar), page


def since(page: bytes) -> str:
    """The address the page itself polls."""
    found = re.search(rb'hx-get="(/[^"]*since[^"]*)"', page)
    if found is None:
        raise RuntimeError("the inbox does not poll")
    return found[1].decode().replace("&amp;", "&")


def targets(results: Mapping[str, Result]) -> Sequence[Target]:
    few, many, most = (results[f"inbox of {name}"].p50 for name in SIZES)
    polls = [results[f"poll of {name}"].p50 for name in SIZES]
    return [
        (f"inbox of 100,000: p50 {many:.1f} ms (<= 10)", many <= 10),
        (f"inbox of 1,000,000: p50 {most:.1f} ms (<= 15)", most <= 15),
        (f"{most / few:.2f} x the inbox of 1,000 (<= 1.5)", most <= 1.5 * few),
        (f"an unchanged poll: p50 {max(polls):.1f} ms (<= 3)", max(polls) <= 3),
        (
            f"{max(_bytes.values()):,} bytes (<= {MOST_BYTES:,})",
            max(_bytes.values()) <= MOST_BYTES,
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
