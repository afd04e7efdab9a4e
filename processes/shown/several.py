"""Several stops to decide at once, as they stand when they are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dalhc.problems import Problem
from processes import policy, services
from processes.journal import limits
from processes.models import Suspension
from processes.services import Actor
from processes.shown.filters import Filters
from processes.shown.rows import address
from processes.shown.waiting import ask_of

# The word on the button, and what the count is of.
VERBS = {
    "approve": "Let resume",
    "decline": "Decline",
    "deny": "Deny",
    "stop": "End",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One stop in a list; `why_not` when this action is not possible for it."""

    stop: Suspension
    digest: str
    why_not: str = ""

    @property
    def ask(self) -> str:
        stop = self.stop
        return ask_of(stop.question, stop.detail, stop.proposed_tool, stop.reason)

    @property
    def url(self) -> str:
        return address(self.stop.process_id)


def choosable(filters: Filters) -> list[Line]:
    """The first of the list, as many as can be decided at once."""
    rows = filters.rows().in_order().select_related("process")[: limits.BULK]
    return [Line(stop, "") for stop in rows]


def looked_at(ids: Sequence[str], action: str, by: Actor) -> list[Line]:
    """The chosen ones as they stand now, each with the digest of what is shown."""
    found = Suspension.objects.filter(id__in=ids[: limits.BULK], status="open")
    return [_line(stop, action, by) for stop in found.select_related("process").in_order()]


def _line(stop: Suspension, action: str, by: Actor) -> Line:
    why_not = policy.bulk_refusal(stop, action)
    if not why_not and action not in policy.offered(by, stop):
        possible = action in policy.allowed_actions(stop)
        why_not = policy.why_nothing(by, stop) or policy.refusal(by, stop, action)
        why_not = why_not if possible and why_not else "This is not possible here."
    return Line(stop, services.review_digest(stop), why_not)


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one of them."""

    ask: str
    url: str
    why_not: str


def told(outcomes: Iterable[services.Outcome]) -> list[Told]:
    """In their order; what was left as it is says why."""
    found = list(outcomes)
    stops = Suspension.objects.in_bulk([one.id for one in found])
    return [_told(stops[one.id], one.problem) for one in found if one.id in stops]


def _told(stop: Suspension, problem: Problem | None) -> Told:
    line = Line(stop, "")
    return Told(line.ask, line.url, str(problem) if problem else "")
