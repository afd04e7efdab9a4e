"""Regular expressions an agent may send: only such as cannot keep the server busy.

What is counted is how often a backtracking matcher may start anew; nested repetition, where
that grows without bound, is refused (reliability T25).
"""

from __future__ import annotations

import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from processes.journal import limits
from processes.journal.errors import InvalidResponseSchema

STARTS = 2_000_000  # attempts in the worst case: some hundredths of a second
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
_SIMPLE = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.AT}


def check(pattern: str) -> None:
    """Raise InvalidResponseSchema unless the pattern is short, plain and bounded."""
    if len(pattern) > limits.PATTERN_CHARS:
        raise _refused(pattern, f"is longer than {limits.PATTERN_CHARS} characters")
    try:
        parsed = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        raise _refused(pattern, "is no regular expression") from None
    anchored = bool(parsed) and parsed[0] == (sre.AT, sre.AT_BEGINNING)
    cost = _cost(parsed, pattern) * (1 if anchored else limits.MATCHED_CHARS)
    if cost > STARTS:
        raise _refused(pattern, "could take too long; begin it with ^ and repeat less")


def _cost(parts: Any, pattern: str) -> int:
    cost = 1
    for kind, value in parts:
        cost *= _cost_of(kind, value, pattern)
        if cost > STARTS:
            break
    return cost


def _cost_of(kind: Any, value: Any, pattern: str) -> int:
    if kind in _SIMPLE:
        return 1
    if kind is sre.SUBPATTERN:
        return _cost(value[3], pattern)
    if kind is sre.BRANCH:
        return sum(_cost(branch, pattern) for branch in value[1])
    if kind in _REPEATS:
        low, high, body = value
        return _repeated(low, high, body, pattern)
    raise _refused(pattern, "looks ahead, looks back or refers to a group")


def _repeated(low: int, high: int, body: Any, pattern: str) -> int:
    high = min(int(high), limits.MATCHED_CHARS)
    inner = _cost(body, pattern)
    if high > 1 and inner > 1:
        raise _refused(pattern, "repeats what already varies")
    return max(1, high - min(low, high) + 1) * inner


def _refused(pattern: str, why: str) -> InvalidResponseSchema:
    return InvalidResponseSchema(
        f"The pattern {pattern[:60]!a} {why}.", pointer="/response_schema"
    )
