"""What is read: the record, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from dalhc.clock import now_ms
from processes.journal import rules
from processes.journal.record import (
    Action,
    ProcessHead,
    ProcessRecord,
    ProcessStep,
    ProcessTurn,
)
from processes.models import Decision, Process, Step, Suspension, Turn
from processes.services import delivery
from processes.services.actors import Actor, require
from processes.store import raw, rows, suspensions


@dataclass(frozen=True, slots=True)
class Next:
    """What a runtime does next; `is_settled` when there is nothing to wait for."""

    next_action: Action
    held: bool
    decided: bool
    suspension_id: str | None
    revision: int
    left_ms: int = 0  # a decision is there, and is kept back for so long

    @property
    def is_settled(self) -> bool:
        return self.next_action is not Action.NEEDS_ANSWER and not self.held

    def wait_s(self, asked: float) -> float:
        """How long to wait for news: no longer than until the decision may be handed over."""
        return min(asked, self.left_ms / 1000 + 0.01) if self.left_ms else asked


def next_step(process_id: str, *, by: Actor) -> Next:
    """A pure read, the same decision as resume (contract N13-N15)."""
    require(by, "read")
    row = rows.read(process_id, by)
    host = row.host
    left = delivery.left_ms(row, now_ms())
    decided = host.decided and not left
    action = rules.next_action(row.head, decided)
    held = (host.held and not decided) or (left > 0 and action is Action.CONTINUE)
    return Next(action, held, decided, host.suspension_id, host.revision, left)


def record(process_id: str, *, by: Actor) -> ProcessRecord:
    """The whole record. Long ones are for files; the API bounds what it sends."""
    row = rows.read(process_id, by)
    steps = Step.objects.of(process_id).order_by("seq")
    turns = Turn.objects.filter(process_id=process_id).order_by("seq")
    return ProcessRecord(
        **row.head.model_dump(),
        steps=tuple(ProcessStep.model_validate(step) for step in steps.iterator(2_000)),
        turns=tuple(ProcessTurn.model_validate(turn) for turn in turns),
    )


def review_digest(stop: Suspension) -> str:
    """What a form must carry so that what was decided is what was seen."""
    return suspensions.review_digest(stop)


def head_action(head: ProcessHead, decided: bool) -> Action:
    """What a runtime does next with a process as it stands in a list (contract N20)."""
    return rules.next_action(head, decided)


def read_row(process_id: str, *, by: Actor) -> rows.Row:
    """The head and what stands beside it; a writer may see what it wrote. Raises
    ProcessNotFound.
    """
    if "journal" not in by.scopes:
        require(by, "read")
    return rows.read(process_id, by)


def suspension(suspension_id: str, *, by: Actor) -> Suspension:
    """Raises ProcessNotFound for an unknown one, or another agent's."""
    require(by, "read")
    return suspensions.get(suspension_id, by.agent)


def standing_of(stop: Suspension) -> Process:
    """The process a suspension belongs to, without building a query
    when it is not loaded yet.
    """
    if Suspension.process.is_cached(stop):
        return stop.process
    found = raw.first(Process, "WHERE t.id = %s", stop.process_id)
    assert found is not None  # a foreign key says so
    stop.process = found
    return found


def live_decision(stop: Suspension) -> Decision | None:
    """What was decided and not taken back."""
    return suspensions.live_decision(stop.id)
