"""`POST /wakes/claim?wait=`: the waiter is the timer (architecture §3.10). It asks once, then
sleeps until the next due time, a ring or its deadline; meanwhile nothing is read and nothing
runs.
"""

from __future__ import annotations

import asyncio
import re

from django.conf import settings

from dalhc import bell
from dalhc.clock import now_ms
from dalhc.db.threads import Threads, read_again
from dalhc.front.body import Body, Scope
from dalhc.front.plain import header, json_reply, pairs
from dalhc.front.reply import Reply
from dalhc.front.written import committed, written
from dalhc.http.problems import TooManyWaiters
from descriptors import services
from descriptors.api import replies
from descriptors.contract.commands import ClaimWakes
from processes.api import query
from processes.api.auth import bearer
from processes.api.body import command, read_json
from processes.services import Actor, Forbidden, Unchanged, check_actor

# Keys are looked up here when they were not seen lately; the claim itself is the writer's.
_readers = Threads(1, "claim")


async def claim(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """The same answer as the ordinary endpoint; mine only when the caller wants to wait."""
    values = query.checked(pairs(scope), ("wait",))
    seconds = query.wait_seconds(values, header(scope, b"prefer") or "")
    if not seconds or header(scope, b"idempotency-key") is not None:
        return None
    key = header(scope, b"authorization") or ""
    by = await _actor(key)
    asked = command(ClaimWakes, _value(await body.read(), scope))
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        seen = bell.mark(services.wakes_of(by.agent or ""))
        found = await _claim(asked, by)
        left = _left(found, deadline - loop.time())
        if found.wakes or left <= 0 or bell.closed():
            return json_reply(scope, replies.wakes(found))
        await _sleep(body, by, seen, left)
        by = await _actor(key)  # a key revoked meanwhile claims nothing


async def _actor(authorization: str) -> Actor:
    by, _ = await written(
        _readers.submit(lambda: read_again(lambda: check_actor(bearer(authorization))))
    )
    if "wake" not in by.scopes:
        raise Forbidden("This key lacks the scope wake.")
    return by


def _value(raw: bytes, scope: Scope) -> object:
    return read_json(raw, header(scope, b"content-type") or "") if raw else {}


async def _claim(asked: ClaimWakes, by: Actor) -> services.Claimed:
    try:
        return await committed(services.claim, asked, by=by)
    except Unchanged as nothing:
        found: services.Claimed = nothing.result
        return found


def _left(found: services.Claimed, left: float) -> float:
    """Seconds to sleep: to the deadline, or to a millisecond after the next due time."""
    if found.next_due_ms is None or left <= 0:
        return left
    return min(left, max(0.001, (found.next_due_ms - now_ms() + 1) / 1000))


async def _sleep(body: Body, by: Actor, seen: int, seconds: float) -> None:
    if bell.waiters() >= settings.ENVIRONMENT.max_waiters:
        raise TooManyWaiters(retry_after=2)
    topic = services.wakes_of(by.agent or "")
    await body.unless_gone(bell.waiting(topic, seen, seconds))
