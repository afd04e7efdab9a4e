"""Ids the server mints: in the order they were minted, so that the newest row lands at an
index's end.
"""

from __future__ import annotations

import secrets
import time
import uuid
from threading import Lock

_minting = Lock()
_last = 0


def mint(kind: str) -> str:
    """`<kind>_<uuidv7>`: 48 bits of milliseconds, 12 that count within one, then randomness."""
    tick = _tick()
    value = (tick >> 12 << 80) | (0x7 << 76) | ((tick & 0xFFF) << 64)
    value |= (0b10 << 62) | secrets.randbits(62)
    return f"{kind}_{uuid.UUID(int=value)}"


def earlier(id: str, by_ms: int) -> str:
    """The lowest id that could have been minted so many milliseconds before this one; itself
    when it is none of ours.
    """
    kind, _, text = id.rpartition("_")
    if len(text) != 36:
        return id
    at_ms = max(0, (uuid.UUID(text).int >> 80) - by_ms)
    return f"{kind}_{uuid.UUID(int=at_ms << 80)}"


def _tick() -> int:
    """Always later than the last one, also when two fall together or the clock goes back."""
    global _last
    with _minting:
        _last = max(time.time_ns() // 1_000_000 << 12, _last + 1)
        return _last
