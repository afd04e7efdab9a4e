"""What wakes by itself in the next 24 hours, as a strip of hours."""

from __future__ import annotations

from dataclasses import dataclass

from descriptors.services import due_times
from processes.shown import times

HOURS = 24
WIDTH, TALL = 20, 48  # of an hour, and of the busiest one


@dataclass(frozen=True, slots=True)
class Bar:
    """One hour: where it stands in the picture, and what it says."""

    x: int
    y: int
    height: int
    count: int
    label: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """24 hours from now; `overdue` are those that should be awake already."""

    overdue: int
    bars: list[Bar]
    total: int

    @property
    def ticks(self) -> list[str]:
        """Every sixth hour by its clock."""
        return [bar.label[:5] for bar in self.bars[::6]]


def forecast(now: int) -> Forecast:
    """Counted by the database in ranges of an index; no sleeper is read."""
    overdue, counts = due_times(now, HOURS, times.HOUR)
    most = max(counts, default=0) or 1
    bars = [_bar(hour, count, most, now) for hour, count in enumerate(counts)]
    return Forecast(overdue, bars, sum(counts))


def _bar(hour: int, count: int, most: int, now: int) -> Bar:
    height = max(2, round(count / most * TALL)) if count else 0
    begins = now + hour * times.HOUR
    said = f"{times.second(begins)[:5]}: {count} wake{'s' if count == 1 else ''}"
    return Bar(hour * WIDTH, TALL - height, height, count, said)
