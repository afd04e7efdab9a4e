"""Regular expressions an agent may send: only such as cannot keep the server busy.

What is counted is how often a backtracking matcher may start anew; nested repetition, where
that grows without bound, is refused (reliability T25).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from processes.journal import limits
from processes.journal.errors import InvalidResponseSchema

STARTS = 2_000_000  # attempts in the worst case: some hundredths of a second
WHOLE = 4 * STARTS  # of all patterns of a schema together, on all texts of an answer
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
_SIMPLE = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.AT}


def check_all(found: Iterable[tuple[str, bool]]) -> None:
    """Raise InvalidResponseSchema unless each is bounded, and all of them together; True says
    of one that it is tried on many texts.
    """
    total = 0
    for pattern, many in found:
        total += check(pattern, many)
        if total > WHOLE:
            raise _refused(pattern, "and the other patterns could take too long together")


def check(pattern: str, many: bool = False) -> int:
    """What it may cost. Raises InvalidResponseSchema unless it is short, plain and bounded."""
    if len(pattern) > limits.PATTERN_CHARS:
        raise _refused(pattern, f"is longer than {limits.PATTERN_CHARS} characters")
    try:
        parsed = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        raise _refused(pattern, "is no regular expression") from None
    cost = _cost_on(parsed, pattern, limits.MATCHED_CHARS)
    if cost > STARTS:
        raise _refused(pattern, "could take too long; begin it with ^ and repeat less")
    return _cost_on_many(parsed, pattern) if many else cost


def _cost_on(parsed: Any, pattern: str, length: int) -> int:
    """On a text of this length. With (?m), ^ is found at every line and bounds nothing."""
    is_begun = bool(parsed) and parsed[0] == (sre.AT, sre.AT_BEGINNING)
    anchored = is_begun and not parsed.state.flags & re.MULTILINE
    return _cost(parsed, pattern, length) * (1 if anchored else length)


def _cost_on_many(parsed: Any, pattern: str) -> int:
    """An answer is so long altogether: few long texts, or many short ones."""
    worst, length = 0, limits.MATCHED_CHARS
    while length:
        texts = limits.TEXT_CHARS // length
        worst = max(worst, texts * _cost_on(parsed, pattern, length))
        length //= 2
    return worst


def _cost(parts: Any, pattern: str, length: int) -> int:
    cost = 1
    for kind, value in parts:
        cost *= _cost_of(kind, value, pattern, length)
        if cost > STARTS:
            break
    return cost


def _cost_of(kind: Any, value: Any, pattern: str, length: int) -> int:
    if kind in _SIMPLE:
        return 1
    if kind is sre.SUBPATTERN:
        return _cost(value[3], pattern, length)
    if kind is sre.BRANCH:
        return sum(_cost(branch, pattern, length) for branch in value[1])
    if kind in _REPEATS:
        low, high, body = value
        return _repeated((low, high), body, pattern, length)
    raise _refused(pattern, "looks ahead, looks back or refers to a group")


def _repeated(times: tuple[int, int], body: Any, pattern: str, length: int) -> int:
    low, high = times[0], min(int(times[1]), length)
    inner = _cost(body, pattern, length)
    if high > 1 and inner > 1:
        raise _refused(pattern, "repeats what already varies")
    return max(1, high - min(low, high) + 1) * inner


def _refused(pattern: str, why: str) -> InvalidResponseSchema:
    return InvalidResponseSchema(
        f"The pattern {pattern[:60]!a} {why}.", pointer="/response_schema"
    )
