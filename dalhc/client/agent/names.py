"""File names and sizes in words; what cannot be seen in a name is written out."""

from __future__ import annotations

import os
import unicodedata
from typing import Any

UNITS = ("bytes", "kB", "MB", "GB", "TB")


def shown(name: str) -> str:
    """The name with every control, format and half character escaped: safe to print or ask."""
    return "".join(_escaped(char) if _is_unseen(char) else char for char in name)


def argument(path: str) -> dict[str, Any]:
    """A path as a step's argument; two names that read alike must not share a key."""
    text = shown(path)
    return {"path": text} if text == path else {"path": text, "bytes": os.fsencode(path).hex()}


def shortened(text: str, characters: int) -> str:
    """The text with its middle left out: the end of a path says more than its middle."""
    if len(text) <= characters:
        return text
    head = (characters - 1) // 3
    return f"{text[:head]}…{text[head + 1 - characters :]}"


def in_bytes(size: int) -> str:
    """A size as a file manager says it: `84 kB`, `1.2 MB`."""
    value, unit = float(size), 0
    while value >= 999.5 and unit < len(UNITS) - 1:
        value, unit = value / 1000, unit + 1
    digits = f"{value:.1f}".removesuffix(".0") if unit and value < 9.95 else f"{value:.0f}"
    return "1 byte" if size == 1 else f"{digits} {UNITS[unit]}"


def count(number: int, one: str, many: str = "") -> str:
    """`1 file`, `12 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode()
