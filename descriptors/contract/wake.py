"""Keys of wake conditions: what a prefix spans, and what settles what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from descriptors.contract.record import WakeCondition


@dataclass(frozen=True, slots=True)
class Settled:
    """What woke an agent, and when. `payload` is what came with it, plain JSON."""

    kind: str
    key: str | int
    at_ms: int
    payload: dict[str, Any] | None = None

    def as_data(self) -> dict[str, Any]:
        """Its fields by name, as events and rows keep them."""
        return {
            "kind": self.kind,
            "key": self.key,
            "at_ms": self.at_ms,
            "payload": self.payload,
        }


def span(prefix: str) -> tuple[str, str | None]:
    """All keys that begin with `prefix`: from the first text to before the second (None: to the
    end). Exact, whatever signs are in it: nothing is a wildcard.
    """
    for place in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[place]) + 1
        if 0xD800 <= code <= 0xDFFF:  # halves of pairs are no text
            code = 0xE000
        if code <= 0x10FFFF:
            return prefix, prefix[:place] + chr(code)
    return prefix, None


def listens(conditions: list[WakeCondition], kind: str, key: str) -> bool:
    """Whether this settles one of them; keys are compared exactly."""
    return any(one.kind == kind and one.key == key for one in conditions)
