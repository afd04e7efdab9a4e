"""What is kept of each request: a count, and a line in the log when it was refused (or always,
as DALHC_LOG_REQUESTS says).
"""

from __future__ import annotations

import logging
import re

from django.conf import settings

from dalhc import metrics
from dalhc.front.body import Scope
from dalhc.front.reply import Headers
from dalhc.http.requests import is_api

PATH_CHARS = 500
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
log = logging.getLogger("dalhc.request")
_PREFIX = re.compile(rb"(?:bearer|token) (dalhc_[A-Za-z0-9]{1,12})_", re.IGNORECASE)


def note(scope: Scope, status: int, headers: Headers, seconds: float) -> None:
    """The query is not kept: what someone searched for is theirs. The key is its prefix."""
    metrics.answered(door_of(scope["path"]), status)
    kept = settings.ENVIRONMENT.log_requests
    if kept == "none" or (kept == "refused" and status < 400):
        return
    said = {
        "method": scope["method"],
        "path": scope["path"][:PATH_CHARS],
        "status": status,
        "ms": round(seconds * 1000, 1),
        "request_id": _header(headers, b"x-request-id"),
        "key": _key(scope),
    }
    log.info("answered", extra={"said": said})


def door_of(path: str) -> str:
    """Which of the doors of `dalhc_requests_total` this address belongs to."""
    if is_api(path):
        return "api"
    if path in PROBES:
        return "probe"
    return "static" if path.startswith("/static/") else "page"


def _header(headers: Headers, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in headers if key == name), None)


def _key(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization" and (found := _PREFIX.match(value)):
            return found[1].decode()
    return None
