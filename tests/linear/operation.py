"""What a client asked and what it was told, with the two moments between which it happened."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

type Kind = Literal[
    "open", "append", "suspend", "decide", "take_back", "resume", "complete", "lease"
]


@dataclass(frozen=True, eq=False)
class Operation:
    """`status` is None when nobody knows what became of it; then it may have happened at any
    later moment, or never. Moments are seconds of one clock, `at_ms` those of the server's.
    """

    kind: Kind
    process: str
    body: dict[str, Any]
    begun: float
    ended: float = math.inf
    at_ms: tuple[int, int] = (0, 0)
    status: int | None = None
    said: dict[str, Any] = field(default_factory=dict)
    stop: str = ""  # the suspension that is decided, or taken back

    @property
    def is_known(self) -> bool:
        return self.status is not None

    @property
    def refused(self) -> str | None:
        """The code of a refusal."""
        if self.status is None or self.status < 400:
            return None
        return str(self.said.get("type", "")).rpartition(":")[2]

    def __str__(self) -> str:
        told = self.refused or self.status or "unknown"
        return f"{self.kind} {self.body} {self.stop} from {self.begun:.3f}: {told}"


@dataclass(frozen=True)
class Told:
    """One process as the server tells it when all is over."""

    record: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    stops: dict[str, dict[str, Any]]  # by suspension id
