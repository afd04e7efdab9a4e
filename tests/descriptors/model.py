"""What must be true of one sleeping agent, by another hand than the product's."""

from __future__ import annotations

from dataclasses import dataclass

GO = ("explicit", "go")

type Condition = tuple[str, str | int]


@dataclass
class Model:
    """What it sleeps on, what has settled, and who has it."""

    timer: int
    is_awake: bool = False
    settled: Condition | None = None  # and, while awake, what woke it
    human: str | None = None  # the suspension it sleeps on
    kept: bool = False  # a signal that nobody listened to
    until: int = 0

    def is_due(self, now: int) -> bool:
        if self.is_awake:
            return now >= self.until
        return self.settled is not None or self.timer <= now

    def settle(self, by: Condition) -> bool:
        """The first wins; False for what changes nothing."""
        if self.is_awake or self.settled:
            return False
        self.settled = by
        return True

    def sleeps_again(self, is_decided: bool) -> None:
        """On the conditions that stand there, of which one may have settled already."""
        self.is_awake, self.settled = False, None
        if self.human and is_decided:
            self.settled = ("human", self.human)
        elif self.kept:
            self.settled, self.kept = GO, False
