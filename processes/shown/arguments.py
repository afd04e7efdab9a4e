"""A call's arguments as a person checks them: each value with its type, digit for digit.

The text is the canonical one that is hashed. It is taken apart without becoming numbers, so
that nothing is rounded, and a key given twice stands here twice.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

type Parsed = Any  # str, bool, None, Number, Pairs, or a list of these


class Number(str):
    """A number exactly as written."""

    __slots__ = ()


class Pairs(list[tuple[str, Parsed]]):
    """An object, with every key it was given, also twice."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One line of the table. `is_repeated` when the same key stands there more than once."""

    name: str
    value: str
    kind: str
    is_repeated: bool = False


def table(args: str) -> list[Argument] | None:
    """The arguments one by one; None when they are no JSON object (a
    string stands as it is).
    """
    pairs = _parsed(args)
    if not isinstance(pairs, Pairs):
        return None
    times = Counter(name for name, _ in pairs)
    return [
        Argument(name, _value(value), _kind(value), is_repeated=times[name] > 1)
        for name, value in pairs
    ]


def pretty(args: str) -> str:
    """JSON over several lines to edit, its numbers untouched; any other text as it stands."""
    value = _parsed(args)
    return args if value is None else _printed(value, "\n")


DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=Number
)


def _parsed(args: str) -> Parsed:
    """None for what is no JSON object or array, or too deep to show."""
    if not args.startswith(("{", "[")):
        return None
    try:
        return DECODER.decode(args)
    except (ValueError, RecursionError):
        return None


def _value(value: Parsed) -> str:
    """A text as it reads, anything else as JSON."""
    is_text = isinstance(value, str) and not isinstance(value, Number)
    return value if is_text else _printed(value, "\n")


def _kind(value: Parsed) -> str:
    match value:
        case Number():
            return "number"
        case str():
            return "text"
        case bool():
            return "yes or no"
        case None:
            return "nothing"
        case Pairs():
            return "object"
        case _:
            return "list"


def _printed(value: Parsed, line: str) -> str:
    deeper = line + "  "
    match value:
        case Number():
            return str(value)
        case Pairs() if value:
            inner = (f"{_text(name)}: {_printed(item, deeper)}" for name, item in value)
            return f"{{{deeper}{f',{deeper}'.join(inner)}{line}}}"
        case Pairs():
            return "{}"
        case list() if value:
            return f"[{deeper}{f',{deeper}'.join(_printed(v, deeper) for v in value)}{line}]"
        case _:
            return _text(value)


def _text(value: Parsed) -> str:
    return json.dumps(value, ensure_ascii=False)
