"""Canonical arguments and step keys: the way serde_json 1.0.149 prints a sorted Value
(contract §2).
"""

from __future__ import annotations

import json
import math
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any

from processes.journal.errors import InvalidArgs

# Made once: json.dumps makes one per call when anything is not at its default.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
INT_LOW, INT_HIGH = -(2**63), 2**64 - 1
type Arguments = str | dict[str, Any] | list[Any]


def canonical_args(value: Arguments) -> str:
    """The text that is hashed and stored. A string stands as it is; an object or array is
    printed.

    Source: S0:27, contract A02, A07, A08. Raises InvalidArgs for anything JSON cannot hold.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, dict | list):
        raise InvalidArgs(pointer="/args")
    if _is_plain(value):
        return _encode(value)
    return _printed(value)


def step_key(tool: str, args: str) -> str:
    """64 lower-case hex digits: SHA-256 of the tool name, a newline, the canonical arguments
    (S0:27).
    """
    return sha256(f"{tool}\n{args}".encode()).hexdigest()


def _is_plain(value: object) -> bool:
    """True when the standard printer already agrees with serde_json: no float, no wide
    integer.
    """
    match value:
        case str() | bool() | None:
            return True
        case int():
            return INT_LOW <= value <= INT_HIGH
        case dict():
            return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
        case list():
            return all(_is_plain(item) for item in value)
        case _:
            return False


def _printed(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return encode_basestring(value)
        case int():
            return str(value) if INT_LOW <= value <= INT_HIGH else _float(_wide(value))
        case float():
            return _float(value)
        case list():
            return f"[{','.join(_printed(item) for item in value)}]"
        case dict():
            return f"{{{','.join(_pairs(value))}}}"
        case _:
            raise InvalidArgs(f"JSON has no {type(value).__name__}.", pointer="/args")


def _pairs(value: dict[Any, Any]) -> list[str]:
    if not all(isinstance(key, str) for key in value):
        raise InvalidArgs("Every key of an object is a string.", pointer="/args")
    return [f"{encode_basestring(key)}:{_printed(value[key])}" for key in sorted(value)]


def _wide(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InvalidArgs(
            "A number is outside the range of a double.", pointer="/args"
        ) from None


def _float(value: float) -> str:
    """Shortest digits; decimal while -5 < exponent + 1 <= 16, else d.ddde-7 or d.ddde+16."""
    if not math.isfinite(value):
        raise InvalidArgs("JSON has no NaN and no Infinity.", pointer="/args")
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    digits, point = _digits(abs(value))
    if 0 < point <= 16:
        whole, rest = digits[:point].ljust(point, "0"), digits[point:]
        return f"{sign}{whole}.{rest or '0'}"
    if -5 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _digits(value: float) -> tuple[str, int]:
    """The shortest digits that read back as `value`, and where the decimal point stands before
    them.
    """
    if value == 0:
        return "0", 1
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    return stripped.rstrip("0"), point - (len(digits) - len(stripped))
