"""`POST …/decision` on the short way: a runtime is waiting for nothing else.

The same command, service and reply as the ordinary endpoint; whatever is unusual (a key not
seen lately, an Idempotency-Key) goes there.
"""

from __future__ import annotations

import re
import time

from dalhc.front.body import Body, Scope
from dalhc.front.plain import ANY, json_reply
from dalhc.front.readers import reading
from dalhc.front.reply import Reply
from dalhc.front.written import committed
from processes import services
from processes.api.auth import bearer
from processes.api.body import command, read_json
from processes.api.endpoint import expecting, traced
from processes.api.suspensions import suspension_reply
from processes.journal import errors
from processes.journal.commands import Choice
from processes.models import Suspension


async def decide(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """200 with the suspension as it stands after the commit."""
    headers = body.headers
    by = _decider(headers.get(b"authorization", b"").decode("latin-1"))
    if by is None or scope["query_string"] or b"idempotency-key" in headers:
        return None
    raw, begun = await body.read(), time.monotonic()
    if not raw or headers.get(b"accept") not in ANY:
        return None
    value = read_json(raw, headers.get(b"content-type", b"").decode("latin-1"))
    choice = command(Choice, value)
    if (tag := headers.get(b"if-match")) is not None:
        by = expecting(by, tag.decode("latin-1"))
    if (trace := headers.get(b"traceparent")) is not None:
        by = traced(by, trace.decode("latin-1"))
    try:
        stop = await _decided(match["suspension_id"], choice, by)
    except errors.Expired:
        return None  # what nobody answered is settled there first
    reply = await reading(lambda: suspension_reply(services.in_its_file(stop), by), begun)
    return json_reply(scope, reply.body, reply.status, reply.headers)


def _decider(authorization: str) -> services.Actor | None:
    """The person behind a key that was checked moments ago; no database is read here."""
    by = services.known_actor(bearer(authorization)) if authorization else None
    return by if by and "decide" in by.scopes else None


async def _decided(suspension_id: str, choice: Choice, by: services.Actor) -> Suspension:
    if choice.answer and choice.answer.lstrip().startswith(("{", "[")):
        await reading(lambda: services.try_answer(suspension_id, choice, by=by))
    try:
        return await committed(services.decide_once, suspension_id, choice, by=by)
    except services.Unchanged as same:
        stop: Suspension = same.result
        return stop
