"""`POST …/steps` on the short way: the loop hands the step to the writer and awaits its commit.

The same commands, service and reply as the ordinary endpoint; whatever is unusual (a key not
seen
lately, a person's key, an Idempotency-Key) goes there.
"""

from __future__ import annotations

import asyncio
import re

from dalhc.front.body import Body, Scope
from dalhc.front.plain import header, json_reply
from dalhc.front.reply import Reply
from processes import services
from processes.api.auth import bearer
from processes.api.body import read_json
from processes.api.endpoint import expecting
from processes.api.history import step_commands, step_reply

_ANY = (None, "*/*", "application/json")


async def append(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """201 with the stored step after its commit, 200 with the recorded one."""
    by = _runtime(scope)
    if by is None or scope["query_string"] or header(scope, b"idempotency-key") is not None:
        return None
    raw = await body.read()
    if not raw or header(scope, b"accept") not in _ANY:
        return None
    value = read_json(raw, header(scope, b"content-type") or "")
    batch = await _append(match["process_id"], value, expecting(by, header(scope, b"if-match")))
    reply = step_reply(batch, isinstance(value, list))
    return json_reply(scope, reply.body, reply.status, reply.headers)


def _runtime(scope: Scope) -> services.Actor | None:
    """The runtime behind a key that was checked moments ago; no database is read here."""
    authorization = header(scope, b"authorization")
    key = services.known(bearer(authorization)) if authorization else None
    if key is None or key.agent is None or "journal" not in key.scope_set:
        return None
    return services.actor_of(key)


async def _append(process_id: str, value: object, by: services.Actor) -> services.Batch:
    future = services.append_once.submit(process_id, step_commands(value), by=by)
    try:
        batch = await asyncio.wrap_future(future)
    except services.Unchanged as same:
        batch = same.result
    services.count_skips(process_id, batch)
    return batch
