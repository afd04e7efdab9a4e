"""Ids the server mints: time-ordered, so that the newest row lands at an index's end."""

from __future__ import annotations

import secrets
import time
import uuid


def mint(kind: str) -> str:
    """`<kind>_<uuidv7>`: 48 bits of milliseconds, then randomness."""
    stamp = time.time_ns() // 1_000_000
    value = (stamp << 80) | (0x7 << 76) | (secrets.randbits(12) << 64)
    value |= (0b10 << 62) | secrets.randbits(62)
    return f"{kind}_{uuid.UUID(int=value)}"
