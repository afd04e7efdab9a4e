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

from benches.common import Result, Target, bench
from benches.load import Request, http_loop
from benches.served import Served, served

SECONDS = 2.0
MOST_BYTES = 30_000
_sizes: dict[str, int] = {}


def main() -> int:
    with served(filled=1_000) as few, served(filled=100_000) as many:
        cases = {}
        for name, server in (("1,000", few), ("100,000", many)):
            cookie, page = log_in(server)
            _sizes[name] = len(page)
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
        return bench("inbox", cases, targets=targets, more=lambda: {"bytes": _sizes})


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
    many, few = results["inbox of 100,000"].p50, results["inbox of 1,000"].p50
    poll = results["poll of 100,000"].p50
    return [
        (f"inbox of 100,000: p50 {many:.1f} ms (<= 8)", many <= 8),
        (f"{many / few:.2f} x the inbox of 1,000 (<= 1.5)", many <= 1.5 * few),
        (f"an unchanged poll: p50 {poll:.1f} ms (<= 3)", poll <= 3),
        (f"{_sizes['100,000']:,} bytes (<= {MOST_BYTES:,})", _sizes["100,000"] <= MOST_BYTES),
    ]


if __name__ == "__main__":
    sys.exit(main())
