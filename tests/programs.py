"""Programs that tests drive and pip cannot bring. Where one is missing, what needs it is not
tried, and the run says so at its end; with CI set there is no such run.
"""

from __future__ import annotations

import shutil

NEEDED = {
    "strace": "the power, the disk and single writes (Linux alone has strace)",
    "nginx": "docs/nginx.conf",
    "openssl": "docs/nginx.conf",
}


def find(name: str) -> str | None:
    """Its path; servers are not on everybody's."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def missing() -> list[str]:
    return [name for name in NEEDED if find(name) is None]


def not_tried() -> list[str]:
    """A line for each program that is not here."""
    return [f"NOT TRIED without {name}: {NEEDED[name]}." for name in missing()]
