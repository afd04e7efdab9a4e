"""What the simulation counts, and its one line."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalhc.client.agents.life import Fell
from dalhc.client.agents.worker import Woke


@dataclass(slots=True)
class Tally:
    """Every agent is asleep (its due time, if it has one), awake, or done."""

    asleep: dict[str, int | None] = field(default_factory=dict)
    awake: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    asked: int = 0
    late_ms: list[float] = field(default_factory=list)
    claims: set[tuple[str, int]] = field(default_factory=set)
    twice: int = 0  # one claim, heard of from two workers: never

    def woke(self, woke: Woke) -> None:
        self.twice += (woke.id, woke.epoch) in self.claims
        self.claims.add((woke.id, woke.epoch))
        self.late_ms.append(woke.late_ms)
        self.asleep.pop(woke.id, None)
        self.awake.add(woke.id)

    def fell(self, fell: Fell) -> None:
        self.asked += fell.on == "question"
        self.awake.discard(fell.id)
        if fell.on is None:
            self.asleep.pop(fell.id, None)
            self.done.add(fell.id)
        elif fell.id not in self.done:  # another worker may be heard before this one
            self.asleep[fell.id] = fell.due_ms

    def line(self, now_ms: int) -> str:
        due = sum(1 for at in self.asleep.values() if at is not None and at <= now_ms)
        return (
            f"sleeping {len(self.asleep) - due:,} · due {due:,} · woken {len(self.claims):,}"
            f" · asked {self.asked:,} · done {len(self.done):,}"
        )

    def summary(self) -> str:
        """The wakes, how late they were, and how many were given twice."""
        late = sorted(self.late_ms) or [0.0]
        return (
            f"{len(self.claims):,} wakes, late by {_at(late, 0.5)} (p50) and {_at(late, 0.99)}"
            f" (p99); {self.twice} given to both workers."
        )


def _at(ordered: list[float], share: float) -> str:
    return f"{ordered[min(len(ordered) - 1, int(len(ordered) * share))]:.0f} ms"
