"""What counts as visible text (contract §1: at least one visible character), and how a place in
JSON is named.
"""

from __future__ import annotations

import re
import unicodedata

from processes.journal import limits

# C0, DEL, C1, line separators: a newline would let two different calls share a key (A09).
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Default_Ignorable_Code_Point members that are letters or marks by category, so Z* and C*
# miss them.
_IGNORABLE = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
        (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF),
    )
    for point in range(first, last + 1)
)  # fmt: skip


def is_visible(text: str | None) -> bool:
    """True when at least one character leaves ink: not a space, a control or an ignorable."""
    return any(_leaves_ink(char) for char in text or "")


def _leaves_ink(char: str) -> bool:
    return char not in _IGNORABLE and unicodedata.category(char)[0] not in "ZC"


def is_tool_name(text: str) -> bool:
    """1 to 200 characters without a control character (contract §1)."""
    return 0 < len(text) <= limits.NAME_CHARS and not _UNPRINTABLE.search(text)


def pointer(*parts: int | str) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
