"""`POST …/steps` on the short way: the loop hands the step to the writer and awaits its commit.

The same commands, service and reply as the ordinary endpoint; whatever is unusual (a key not
seen lately, a person's key, an Idempotency-Key) goes there.
"""

from __future__ import annotations

import re

from dalhc import metrics
from dalhc.front.body import Body, Scope
from dalhc.front.plain import ANY, json_reply
from dalhc.front.reply import Reply
from dalhc.front.written import committed
from processes import services
from processes.api.auth import bearer
from processes.api.body import read_json
from processes.api.endpoint import expecting, traced
from processes.api.history import step_commands, step_reply


async def append(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """201 with the stored step after its commit, 200 with the recorded one."""
    headers = body.headers
    by = _runtime(headers.get(b"authorization", b"").decode("latin-1"))
    if by is None or scope["query_string"] or b"idempotency-key" in headers:
        return None
    raw = await body.read()
    if not raw or headers.get(b"accept") not in ANY:
        return None
    value = read_json(raw, headers.get(b"content-type", b"").decode("latin-1"))
    if (tag := headers.get(b"if-match")) is not None:
        by = expecting(by, tag.decode("latin-1"))
    if (trace := headers.get(b"traceparent")) is not None:
        by = traced(by, trace.decode("latin-1"))
    with metrics.appending():
        batch = await _append(match["process_id"], value, by)
    reply = step_reply(batch, isinstance(value, list))
    return json_reply(scope, reply.body, reply.status, reply.headers)


def _runtime(authorization: str) -> services.Actor | None:
    """The runtime behind a key that was checked moments ago; no database is read here."""
    by = services.known_actor(bearer(authorization)) if authorization else None
    return by if by and by.agent is not None and "journal" in by.scopes else None


async def _append(process_id: str, value: object, by: services.Actor) -> services.Batch:
    commands = step_commands(value)
    try:
        batch = await committed(services.append_once, process_id, commands, by=by)
    except services.Unchanged as same:
        batch = same.result
    services.count_skips(process_id, batch)
    return batch
