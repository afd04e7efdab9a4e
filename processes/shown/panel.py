"""The one thing to do on a process page: a question to answer, a receipt, or how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from django.conf import settings

from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes import policy, services
from processes.journal.record import Reason, State
from processes.models import Decision, Draft, Event, JournalFile, Process, Step, Suspension
from processes.models.process import FILES
from processes.services import Actor, PastAnswer
from processes.services.reading import live_decision
from processes.shown import reasons, times, waiting
from processes.shown.arguments import Argument, table
from processes.shown.attention import Attention, outcome
from processes.shown.rows import address
from processes.shown.typed import Typed
from processes.shown.words import DID, said_by
from processes.shown.writing import Writing

HEADLINE_CHARS = 300
OVERDUE = times.MINUTE
LATE = ".late"

type Kind = Literal["ask", "read", "decided", "running", "opened", "ended"]


@dataclass(frozen=True, slots=True)
class Next:
    """The next suspension that waits."""

    ask: str
    url: str


@dataclass(frozen=True, slots=True)
class Panel(Writing):
    """What stands under the headline. `typed` is what a person has just sent in vain, `drafts`
    what they have not sent yet, by the decision it was meant for.
    """

    kind: Kind
    process: Process
    stop: Suspension | None
    decision: Decision | None
    by: Actor
    digest: str = ""
    next: Next | None = None
    typed: Typed = field(default_factory=Typed)
    drafts: list[Draft] = field(default_factory=list)
    problem: Problem | None = None
    file: JournalFile | None = None  # of a process that files own

    @property
    def is_of_files(self) -> bool:
        return self.process.origin == FILES

    @property
    def key(self) -> str:
        """Names what is shown, so that a poll knows whether it still is."""
        late = LATE if self.kind == "decided" and self.is_overdue else ""
        return f"{self.kind}.{self.stop.id if self.stop else ''}{late}"

    @property
    def is_open(self) -> bool:
        return self.kind in {"ask", "read"}

    @property
    def may_decide(self) -> bool:
        return not policy.why_not(self.by)

    @property
    def why_not(self) -> str:
        """Why this reader can decide nothing here."""
        return policy.why_nothing(self.by, self.stop) if self.stop else ""

    @property
    def why_not_approve(self) -> str:
        """Why someone else has to let it resume, where this reader may still say no."""
        return policy.refusal(self.by, self.stop, "approve") if self.stop else ""

    @property
    def attention(self) -> Attention | None:
        """Who is on it, and until when it waits."""
        return Attention(self.stop, self.by) if self.stop and self.is_open else None

    @property
    def deciders(self) -> str:
        names = services.deciders()
        return f"Principals decide: {', '.join(names)}." if names else "Nobody can decide yet."

    @property
    def actions(self) -> tuple[str, ...]:
        return policy.offered(self.by, self.stop) if self.stop else ()

    @property
    def reason(self) -> str:
        return self.stop.reason if self.stop else ""

    @property
    def reason_name(self) -> str:
        return reasons.name(self.stop.reason) if self.stop else ""

    @property
    def asks(self) -> bool:
        return self.reason == Reason.ASK_USER

    @property
    def is_proposed(self) -> bool:
        return self.stop is not None and self.stop.proposed_tool is not None

    @property
    def headline(self) -> str:
        """The agent's own words, or the objective when it asks nothing."""
        stop = self.stop
        if stop is None or not self.is_open:
            return self.process.objective
        return waiting.ask_of(stop.question, stop.detail, stop.proposed_tool, stop.reason)

    @property
    def words(self) -> list[str]:
        """What the agent said besides the headline, and the headline where it is cut."""
        stop = self.stop
        if stop is None:
            return []
        said = [text for text in (stop.question, stop.detail) if text]
        is_cut = len(self.headline) > HEADLINE_CHARS
        return said if self.is_proposed or is_cut else said[1:]

    @property
    def arguments(self) -> list[Argument] | None:
        return table(self.stop.proposed_args or "") if self.stop else None

    @property
    def since(self) -> int:
        """When it came to stand as it does; a decision moves no record."""
        decided = self.kind == "decided" and self.decision
        return decided.at_ms if decided else self.process.updated_at_ms

    @property
    def next_step(self) -> int:
        return self.process.stored_steps + 1

    @property
    def consequence(self) -> str:
        """One sentence of what resuming means."""
        if self.is_proposed:
            other = " Any other call is refused." if self.stop and self.stop.strict else ""
            said = f"Resuming lets it run step {self.next_step} with exactly these arguments."
            return said + other
        match self.reason:
            case Reason.STEP_BUDGET:
                return f"Resuming lets it use more steps, from step {self.next_step} on."
            case Reason.WALL_CLOCK:
                return f"Resuming gives it more time, from step {self.next_step} on."
            case Reason.UNVERIFIED:
                return "Resuming lets it go on with a result that nobody has verified."
            case _:
                return f"Resuming lets it run step {self.next_step} as it means to."

    @property
    def said(self) -> str:
        """What was decided, and by whom; for an expiry, what became of it."""
        if self.stop and self.stop.status == "expired":
            return outcome(self.stop)
        if self.decision is None:
            return ""
        return f"{self.who} {DID[self.decision.action]}"

    @property
    def who(self) -> str:
        return said_by(self.decision.by, self.by.name) if self.decision else ""

    @property
    def decided(self) -> str:
        """The words of the decision; arguments stand apart."""
        return (self.decision and (self.decision.answer or self.decision.note)) or ""

    @property
    def answered(self) -> list[Argument]:
        """A typed answer, field by field; none for one in words."""
        typed = self.stop is not None and self.stop.response_schema is not None
        return (table((self.decision and self.decision.answer) or "") or []) if typed else []

    @property
    def theirs(self) -> str:
        """The words of whoever was first."""
        current = (self.problem and self.problem.current) or {}
        return current.get("answer") or current.get("note") or ""

    @property
    def is_overdue(self) -> bool:
        """Decided, and no runtime has come for it (cases B2)."""
        decision = self.decision
        return decision is not None and now_ms() - decision.at_ms > OVERDUE

    @property
    def ran_other(self) -> str:
        """What ran in place of the call that was approved (cases B86, B89)."""
        if self.stop is None or self.stop.ran != "other":
            return ""
        step = Step.objects.of(self.process.id).filter(seq=self.stop.used_step or 0).first()
        edited = self.decision is not None and self.decision.action == "edit"
        proposed = (self.stop.proposed_tool, self.stop.proposed_args)
        if step and edited and (step.tool, step.args) == proposed:
            return "It ran the call as it was before the change."
        return f"It ran something else than was approved: {step.tool if step else ''}"

    @property
    def free_at_ms(self) -> int:
        """When a decision may be handed over at the earliest; 0 for at once."""
        delay = settings.ENVIRONMENT.delivery_delay_s * 1000
        return self.decision.at_ms + delay if delay and self.decision else 0

    @property
    def past(self) -> list[PastAnswer]:
        """What was answered when something like this was asked before."""
        return services.past_answers(self.stop, by=self.by) if self.stop else []

    @property
    def ended_by(self) -> str:
        """The person who ended it, if one did."""
        last = Event.objects.of(self.process.id).filter(kind="finish").last()
        is_person = last is not None and last.actor.startswith("principal:")
        return said_by(last.actor, self.by.name) if last and is_person else ""

    @property
    def is_lapsed(self) -> bool:
        """Its runtime's lease has run out, so another may go on from here."""
        until = self.process.lease_until_ms
        return until is not None and until < now_ms()


def panel(
    process: Process,
    by: Actor,
    typed: Typed | None = None,
    problem: Problem | None = None,
) -> Panel:
    """How the process stands, for this person."""
    stop = Suspension.objects.of(process.id).newest_first().first()
    decision = live_decision(stop) if stop and stop.status != "open" else None
    kind = _kind(process, stop, by)
    is_open = kind in {"ask", "read"}
    return Panel(
        kind=kind,
        process=process,
        stop=stop,
        decision=decision,
        by=by,
        digest=services.review_digest(stop) if stop and is_open else "",
        next=_next(stop) if stop and decision and not policy.why_not(by) else None,
        typed=typed or Typed(),
        drafts=services.drafts_of(stop, by=by) if stop and kind == "ask" else [],
        problem=problem,
        file=JournalFile.objects.of(process.id).first() if process.origin == FILES else None,
    )


def _kind(process: Process, stop: Suspension | None, by: Actor) -> Kind:
    if process.state in {State.COMPLETED, State.FAILED}:
        return "ended"
    if process.state == State.RUNNING:
        return "running"
    if process.suspend_reason == Reason.OPENED or stop is None:
        return "opened"
    if process.decided:
        return "decided"
    return "ask" if policy.offered(by, stop) else "read"


def _next(stop: Suspension) -> Next | None:
    """The next in the list, or its beginning once the end is reached."""
    columns = ("question", "detail", "proposed_tool", "reason", "process_id")
    rows = Suspension.objects.waiting().exclude(process_id=stop.process_id).in_order()
    later = rows.ranked_after(stop.rank, stop.id)
    found = later.values_list(*columns).first() or rows.values_list(*columns).first()
    return Next(waiting.ask_of(*found[:4]), address(found[4])) if found else None
