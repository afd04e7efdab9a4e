"""Query parameters, as strict as bodies: unknown ones and odd
values are refused, not ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rest_framework.request import Request

from dalhc.http.problems import InvalidRequest
from processes.api.cursor import MOST, USUAL

LONGEST_WAIT = 30


def params(request: Request, known: Iterable[str]) -> dict[str, str]:
    """The parameters of the request, each once. Raises InvalidRequest for one that is not
    known here.
    """
    pairs = ((name, value) for name, values in request.query_params.lists() for value in values)
    return checked(pairs, known)


def checked(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> dict[str, str]:
    """The same of plain pairs."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            raise InvalidRequest(f"?{name[:40]!a} is not a parameter here.")
        if name in found:
            raise InvalidRequest(f"?{name} is given twice.")
        if "\0" in value:
            raise InvalidRequest(f"?{name} holds a NUL character.")
        found[name] = value
    return found


def whole(values: dict[str, str], name: str, default: int, low: int, high: int) -> int:
    """A whole number between `low` and `high`, or the default when absent."""
    text = values.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,15}", text, re.ASCII) or not low <= int(text) <= high:
        raise InvalidRequest(f"?{name} is a whole number from {low} to {high}.")
    return int(text)


def limit(values: dict[str, str]) -> int:
    return whole(values, "limit", USUAL, 1, MOST)


def flag(values: dict[str, str], name: str) -> bool | None:
    """true, false, or None when absent."""
    match values.get(name):
        case None:
            return None
        case "true":
            return True
        case "false":
            return False
        case _:
            raise InvalidRequest(f"?{name} is true or false.")


def one_of(values: dict[str, str], name: str, allowed: Iterable[str]) -> str | None:
    value, choices = values.get(name), list(allowed)
    if value is not None and value not in choices:
        raise InvalidRequest(f"?{name} is one of {', '.join(choices)}.")
    return value


def text(values: dict[str, str], name: str, most: int) -> str:
    """1 to `most` characters; empty when absent."""
    value = values.get(name)
    if value is not None and not 0 < len(value) <= most:
        raise InvalidRequest(f"?{name} has 1 to {most} characters.")
    return value or ""


def wait_seconds(values: dict[str, str], prefer: str) -> int:
    """`?wait=` or `Prefer: wait=`, 0 to 30 seconds."""
    if "wait" not in values and (preferred := re.search(r"\bwait=([0-9]{1,9})\b", prefer)):
        return min(int(preferred[1]), LONGEST_WAIT)
    return whole(values, "wait", 0, 0, LONGEST_WAIT)
