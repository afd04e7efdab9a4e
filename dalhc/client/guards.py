"""When a tool loop stops by itself: budgets, and signs that it goes round in circles."""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from dalhc.client.moves import Budget


class Stop(NamedTuple):
    """A suspension: its reason, and what happened, in words."""

    reason: str
    said: str


class Guards:
    """Counts one call of the loop. Every step is recorded before it is counted here."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._began = time.monotonic()
        self._calls: Counter[str] = Counter()
        self._last, self._in_row, self._idle = "", 0, 0
        self.steps = 0

    def ran(self, tool: str, key: str, success: bool) -> None:
        """A step was run and recorded."""
        self.steps += 1
        self._calls[tool] += 1
        self._count(key, success)

    def repeated(self, key: str) -> None:
        """A recorded success was called for again, and not run."""
        self._count(key, success=False)

    def before_move(self) -> Stop | None:
        """Whether to stop before the planner is asked again."""
        budget, seconds = self._budget, time.monotonic() - self._began
        if budget.steps is not None and self.steps >= budget.steps:
            return Stop("step_budget", f"{self.steps} steps used, {budget.steps} allowed.")
        if budget.seconds is not None and seconds >= budget.seconds:
            return Stop("wall_clock", f"{seconds:.0f} s used, {budget.seconds:g} s allowed.")
        if budget.repeats is not None and self._in_row > budget.repeats:
            return Stop("guard", f"The same call {self._in_row} times in a row.")
        if budget.idle is not None and self._idle >= budget.idle:
            return Stop("guard", f"Nothing new in {self._idle} moves.")
        return None

    def before_call(self, tool: str) -> Stop | None:
        """Whether one more call of this tool is too many."""
        allowed = self._budget.calls_per_tool
        most = allowed if isinstance(allowed, int | None) else allowed.get(tool)
        if most is not None and self._calls[tool] >= most:
            return Stop("guard", f"{tool} was called {most} times, which is all it may be.")
        return None

    def _count(self, key: str, success: bool) -> None:
        self._in_row = self._in_row + 1 if key == self._last else 1
        self._last = key
        self._idle = 0 if success else self._idle + 1
