"""Two runs of one objective side by side, aligned by step key: what a run did that another did
not, or with another result.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from processes.models import Process, Step

MOST, LENGTH = 5_000, 200  # steps read of each run, lines on a page
CANDIDATES, LOOKED_AT = 20, 500
type Kind = Literal["same", "new", "missing", "different"]
KINDS: dict[Kind, str] = {
    "same": "Same",
    "different": "Different result",
    "new": "Only here",
    "missing": "Only there",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """One call: here, there, or both."""

    kind: Kind
    here: Step | None
    there: Step | None

    @property
    def step(self) -> Step:
        found = self.here or self.there
        assert found is not None  # a pair has at least one
        return found

    @property
    def said(self) -> str:
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True)
class Compared:
    """All of it counted, and the lines of one page."""

    counts: list[tuple[Kind, str, int]]
    pairs: list[Pair]
    more: int | None
    is_whole: bool
    is_same_objective: bool

    @property
    def most(self) -> str:
        """Steps read of each."""
        return f"{MOST:,}"


def others(process: Process) -> list[Process]:
    """Other runs of the same objective, newest first: by its id, else by its words among the
    same agent's newest.
    """
    rows = Process.objects.exclude(id=process.id).order_by("-created_at_ms", "-id")
    if process.objective_id:
        return list(rows.filter(objective_id=process.objective_id)[:CANDIDATES])
    recent = list(rows.filter(agent=process.agent)[:LOOKED_AT])
    return [other for other in recent if other.objective == process.objective][:CANDIDATES]


def is_same_objective(one: Process, other: Process) -> bool:
    if one.objective_id and one.objective_id == other.objective_id:
        return True
    return one.objective == other.objective


def compare(here: Process, there: Process, only: str, start: int) -> Compared:
    """`only` is a kind, or empty for everything; `start` is the first line of the page."""
    pairs = list(aligned(_steps(here), _steps(there)))
    counted = Counter(pair.kind for pair in pairs)
    chosen = [pair for pair in pairs if not only or pair.kind == only]
    end = start + LENGTH
    return Compared(
        [(kind, said, counted[kind]) for kind, said in KINDS.items()],
        chosen[start:end],
        end if len(chosen) > end else None,
        max(here.stored_steps, there.stored_steps) <= MOST,
        is_same_objective(here, there),
    )


def _steps(process: Process) -> list[Step]:
    return list(Step.objects.of(process.id).after(0)[:MOST])


def aligned(here: list[Step], there: list[Step]) -> Iterator[Pair]:
    """In the order of `here`; what only `there` has stands where it stood. A call made several
    times is paired first with first, second with second.
    """
    waiting: dict[str, list[Step]] = defaultdict(list)
    for step in reversed(there):
        waiting[step.idempotency_key].append(step)
    pairs = [(step, _next(waiting[step.idempotency_key])) for step in here]
    left = [step for rest in waiting.values() for step in rest]
    alone = sorted(left, key=lambda one: one.seq)
    for step, other in pairs:
        while other is not None and alone and alone[0].seq < other.seq:
            yield Pair("missing", None, alone.pop(0))
        yield Pair(_kind(step, other), step, other)
    for step in alone:
        yield Pair("missing", None, step)


def _next(steps: list[Step]) -> Step | None:
    return steps.pop() if steps else None


def _kind(here: Step, there: Step | None) -> Kind:
    if there is None:
        return "new"
    same = (here.success, here.result_digest, here.artifacts_json) == (
        there.success, there.result_digest, there.artifacts_json,
    )  # fmt: skip
    return "same" if same else "different"
