"""`GET …/next?wait=`: a runtime sleeps until a person has decided, and holds no thread
meanwhile.
"""

from __future__ import annotations

import re

from django.conf import settings

from dalhc import bell
from dalhc.front.body import Body, Scope
from dalhc.front.plain import header, json_reply, pairs
from dalhc.front.readers import reading
from dalhc.front.reply import Reply
from dalhc.http.problems import TooManyWaiters
from processes import services
from processes.api import query, replies
from processes.api.auth import bearer
from processes.api.endpoint import etag
from processes.services.reading import Next


async def next_action(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """The same answer as the ordinary endpoint; mine only when the caller wants to wait."""
    values = query.checked(pairs(scope), ("wait",))
    seconds = query.wait_seconds(values, header(scope, b"prefer") or "")
    if not seconds:
        return None
    process_id, key = match["process_id"], header(scope, b"authorization") or ""
    seen = bell.mark(process_id)
    found = await reading(lambda: _read(process_id, key))
    if not found.is_settled and not bell.closed():
        if bell.waiters() >= settings.ENVIRONMENT.max_waiters:
            raise TooManyWaiters(retry_after=2)
        await body.unless_gone(bell.waiting(process_id, seen, found.wait_s(seconds)))
        found = await reading(lambda: _read(process_id, key))
    return json_reply(scope, replies.next_step(found), headers=etag(found.revision))


def _read(process_id: str, key: str) -> Next:
    """Checked again after the wait: a key revoked meanwhile learns nothing."""
    by, _ = services.check_actor(bearer(key))
    return services.next_step(process_id, by=by)
