"""Runs by their cycle and phase (contract B10)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Count, Max

from dalhc.db.distinct import descending
from processes.journal.record import TERMINAL
from processes.models import Process
from processes.models.process import ProcessQuery

LENGTH = 20


@dataclass(slots=True)
class Cycle:
    """One cycle: how many runs, in which phases, how they stand."""

    id: str
    phases: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    newest_ms: int = 0

    @property
    def runs(self) -> int:
        return self.states.total()

    @property
    def settled(self) -> int:
        return sum(self.states[state] for state in TERMINAL)

    @property
    def by_phase(self) -> list[tuple[str, int]]:
        return sorted(self.phases.items())


@dataclass(frozen=True, slots=True)
class Cycles:
    """A page of them, the highest id first; `older` is where the next begins."""

    rows: list[Cycle]
    older: str


def cycles(below: str | None) -> Cycles:
    ids = descending(Process.objects.all(), "cycle_id", below, LENGTH + 1)
    page = ids[:LENGTH]
    counted = counts(page)
    older = page[-1] if len(ids) > LENGTH else ""
    return Cycles([counted[cycle_id] for cycle_id in page], older)


def counts(ids: list[str]) -> dict[str, Cycle]:
    """Each of the cycles, counted."""
    found: dict[str, Cycle] = {cycle_id: Cycle(cycle_id) for cycle_id in ids}
    rows = Process.objects.filter(cycle_id__in=ids).order_by()
    grouped = rows.values_list("cycle_id", "cycle_phase", "state")
    for cycle_id, phase, state, count, newest in grouped.annotate(
        count=Count("pk"), newest=Max("created_at_ms")
    ):
        cycle = found[str(cycle_id)]
        cycle.phases[phase or ""] += count
        cycle.states[state] += count
        cycle.newest_ms = max(cycle.newest_ms, newest)
    return found


def runs(cycle_id: str, phase: str | None) -> ProcessQuery:
    """The runs of a cycle, or of one phase of it; the phase may be none."""
    rows = Process.objects.filter(cycle_id=cycle_id)
    if phase is None:
        return rows
    return rows.filter(cycle_phase=phase) if phase else rows.filter(cycle_phase=None)
