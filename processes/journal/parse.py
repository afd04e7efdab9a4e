"""Strict JSON: what parsers disagree on is refused, not repaired (api.md conventions;
reliability §3).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Never

from dalhc.problems import Problem

# A string that never ends is one too.
_STRING = re.compile(rb'"[^"]*+"?')
_NEITHER = bytes(set(range(256)) - set(b'"[]{}'))
_NOT_COUNTED = _NEITHER.replace(b":", b"")
_DIGITS_OF_A_DOUBLE = 400


class NotJson(Problem):
    """The body is not JSON in UTF-8."""


class DuplicateKey(Problem):
    """An object names the same key twice; parsers disagree which one counts."""


class LoneSurrogate(Problem):
    """The text holds half of a surrogate pair, which UTF-8 cannot carry."""


class Nul(Problem):
    """The text holds a NUL character, which cannot be stored."""


class TooDeep(Problem):
    """The JSON is nested too deeply."""


class TooManyParts(Problem):
    """The JSON has too many objects, arrays and names."""


def parse_json(body: bytes, *, depth: int, parts: int | None = None) -> Any:
    """The value of `body`, exact: big integers whole, `-0` a float, no NaN, no duplicate key.
    `parts` bounds its objects, arrays and names: a few bytes each, and far more in memory.

    Raises NotJson, DuplicateKey, LoneSurrogate, Nul, TooDeep, TooManyParts.
    """
    try:
        text = body.decode("utf-8", errors="strict")
    except UnicodeDecodeError:
        raise NotJson from None
    if text.startswith("\ufeff"):
        raise NotJson("The body begins with a byte order mark.")
    _check_depth(text, depth)
    if parts is not None:
        check_parts(text, parts)
    return _parsed(text, _decode)


def parse_exact(text: str, *, depth: int) -> Any:
    """As parse_json, but no number is rounded: fractions and powers are Decimal, and any of
    them may be as large as it likes.
    """
    _check_depth(text, depth)
    return _parsed(text, _decode_exact)


def _parsed(text: str, decode: Callable[[str], Any]) -> Any:
    try:
        value = decode(text)
    except (ValueError, RecursionError):
        raise NotJson from None
    if "\\u" in text:
        _check_text(value)
    return value


def _check_depth(text: str, depth: int) -> None:
    """Counted before parsing, so that no parser recurses; brackets inside strings do not
    count.
    """
    if text.count("[") + text.count("{") <= depth:
        return
    level = 0
    for bracket in _outline(text):
        level += 1 if bracket in b"[{" else -1
        if level > depth:
            raise TooDeep(f"The JSON is nested more than {depth} levels deep.")


def check_parts(text: str, parts: int) -> None:
    """Objects, arrays and names, counted before parsing; what is inside strings does not count.
    Raises TooManyParts.
    """
    if sum(map(text.count, "[{:")) <= parts:
        return
    outline = _outline(text, _NOT_COUNTED)
    if sum(map(outline.count, (b"[", b"{", b":"))) > parts:
        raise TooManyParts(f"The JSON has more than {parts:,} objects, arrays and names.")


def _outline(text: str, left_out: bytes = _NEITHER) -> bytes:
    """The brackets alone, found by loops in C. Two quotes side by side may go early: what
    follows them is inside or outside a string as before.
    """
    bare = text.encode(errors="replace").replace(b"\\\\", b"").replace(b'\\"', b"")
    return _STRING.sub(b"", bare.translate(None, left_out).replace(b'""', b""))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise DuplicateKey
    return result


def _integer(text: str) -> int | float:
    if text == "-0":
        return -0.0
    if len(text) > _DIGITS_OF_A_DOUBLE:
        raise NotJson("A number is outside the range of a double.")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson("A number is outside the range of a double.")
    return value


def _whole(text: str) -> int | Decimal:
    """Past some thousand digits Python's own integers refuse to be read."""
    return int(text) if len(text) <= _DIGITS_OF_A_DOUBLE else _decimal(text)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise NotJson("A number is beyond every bound.") from None


def _constant(text: str) -> Never:
    raise NotJson(f"JSON has no {text}.")


# Made once: json.loads makes one per call when it is given hooks.
_decode = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
).decode
_decode_exact = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_whole,
    parse_float=_decimal,
    parse_constant=_constant,
).decode


def _check_text(value: Any) -> None:
    match value:
        case str():
            _check_string(value)
        case list():
            for item in value:
                _check_text(item)
        case dict():
            for key, item in value.items():
                _check_string(key)
                _check_text(item)


def _check_string(text: str) -> None:
    if "\0" in text:
        raise Nul
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise LoneSurrogate
