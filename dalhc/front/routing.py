"""What a waiting route is, and how a request finds one."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from dalhc.front.body import Body, Scope
from dalhc.front.reply import Reply

Route = Callable[[Scope, Body, re.Match[str]], Awaitable[Reply | None]]
Entry = tuple[str, re.Pattern[str], Route]


class Find:
    """Finds the route of a request among those that wait."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    def __call__(self, method: str, path: str) -> tuple[Route, re.Match[str]] | None:
        for verb, pattern, route in self._entries:
            if verb == method and (match := pattern.fullmatch(path)):
                return route, match
        return None
