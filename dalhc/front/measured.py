"""`GET /metrics`, for a person's key: numbers of all agents are nothing for a runtime."""

from __future__ import annotations

import re

from dalhc import metrics
from dalhc.front.body import Body, Scope
from dalhc.front.readers import reading
from dalhc.front.reply import Reply
from dalhc.http.requests import API_HEADERS
from processes import services
from processes.api.auth import bearer
from processes.services import gauges
from processes.services.actors import require


async def measured(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """Prometheus' text format. Raises Unauthorized, Forbidden."""
    key = body.headers.get(b"authorization", b"").decode("latin-1")
    content = await reading(lambda: _text(key))
    said = {"Content-Type": metrics.CONTENT_TYPE, **API_HEADERS}
    said["Content-Length"] = str(len(content))
    return Reply(200, [(name.lower().encode(), said[name].encode()) for name in said], content)


def _text(key: str) -> bytes:
    by, _ = services.check_actor(bearer(key))
    require(by, "read")
    if by.agent is not None:
        raise services.Forbidden("Metrics are for a person's key with the scope read.")
    gauges.refresh()
    return metrics.text()
