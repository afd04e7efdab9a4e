"""What counts as visible text (contract §1: at least one visible character)."""

from __future__ import annotations

import unicodedata

# Default_Ignorable_Code_Point members that are letters or marks by category, so Z* and C*
# miss them.
_IGNORABLE = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
        (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF),
    )
    for point in range(first, last + 1)
)  # fmt: skip


def is_visible(text: str | None) -> bool:
    """True when at least one character leaves ink: not a space, a control or an ignorable."""
    return any(_leaves_ink(char) for char in text or "")


def _leaves_ink(char: str) -> bool:
    return char not in _IGNORABLE and unicodedata.category(char)[0] not in "ZC"
