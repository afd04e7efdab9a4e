"""What people answered when something like this was asked before."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from processes.journal.record import Reason
from processes.models import Decision, Suspension
from processes.services.actors import Actor, require
from processes.store import past

SHOWN = 3
_WEIGHED = 60  # questions that read alike, of whatever agent


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """A question, what was answered and by whom, and how its process stands today."""

    suspension_id: str
    process_id: str
    question: str
    answer: str
    by: str
    at_ms: int
    state: str


def past_answers(stop: Suspension, *, by: Actor) -> list[PastAnswer]:
    """Answers to similar questions of the same agent or the same objective class, the most
    alike first; only what was handed over. None for a stop that asks nothing.
    """
    require(by, "read")
    if stop.reason != Reason.ASK_USER:
        return []
    alike = past.alike(stop.question or "", _WEIGHED)
    place = {id: number for number, id in enumerate(alike)}
    found = sorted(_answered(stop, alike, by), key=lambda one: place[one.suspension_id])
    return [_told(one) for one in found[:SHOWN]]


def _answered(stop: Suspension, alike: list[str], by: Actor) -> list[Decision]:
    process = stop.process
    kin = Q(suspension__process__agent=process.agent)
    if process.objective_class:
        kin |= Q(suspension__process__objective_class=process.objective_class)
    if by.agent is not None:
        kin = Q(suspension__process__agent=by.agent)  # a runtime sees its own alone (T18)
    found = Decision.objects.filter(
        kin, suspension_id__in=alike, live=True, action="answer", answer__isnull=False,
        suspension__reason=Reason.ASK_USER, suspension__delivered_at_ms__isnull=False,
    )  # fmt: skip
    return list(found.exclude(suspension_id=stop.id).select_related("suspension__process"))


def _told(decision: Decision) -> PastAnswer:
    stop = decision.suspension
    return PastAnswer(
        suspension_id=stop.id,
        process_id=stop.process_id,
        question=stop.question or "",
        answer=decision.answer or "",
        by=decision.by,
        at_ms=decision.at_ms,
        state=stop.process.state,
    )
