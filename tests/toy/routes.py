"""Routes that wait."""

from __future__ import annotations

import re

from dalhc import bell
from dalhc.front.body import Body, Scope
from dalhc.front.reply import Reply
from dalhc.front.routing import Entry
from dalhc.problems import Problem


class NotToday(Problem):
    """The route refused."""


async def wait(scope: Scope, body: Body, match: re.Match[str]) -> Reply:
    seen = bell.mark(match["topic"])
    rung = await body.unless_gone(bell.waiting(match["topic"], seen, float(match["seconds"])))
    text = b"rung" if rung else b"closed" if bell.closed() else b"quiet"
    return Reply(200, [(b"content-type", b"text/plain")], text)


async def hand_on(scope: Scope, body: Body, match: re.Match[str]) -> Reply | None:
    """Read the body, answer what says "mine", hand the rest on."""
    if await body.read() == b"mine":
        return Reply(200, [], b"taken by the route")
    return None


async def refuse(scope: Scope, body: Body, match: re.Match[str]) -> Reply:
    raise NotToday


async def fail(scope: Scope, body: Body, match: re.Match[str]) -> Reply:
    raise ValueError("a bug")


ROUTES: list[Entry] = [
    ("GET", re.compile(r"/wait/(?P<topic>\w+)/(?P<seconds>[\d.]+)"), wait),
    ("POST", re.compile(r"/hand-on"), hand_on),
    ("GET", re.compile(r"/api/refuse"), refuse),
    ("GET", re.compile(r"/api/fail"), fail),
]
