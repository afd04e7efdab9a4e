"""Which resumes are held, and who may decide: the one place every door obeys (architecture
§3.2).
"""

from __future__ import annotations

from typing import Protocol

from django.conf import settings

from processes.answering import checking
from processes.journal import errors
from processes.journal.commands import Choice
from processes.journal.record import Reason
from processes.journal.text import is_visible

# What lets a held call go on. `answer` stands for answering in the tool's place.
APPROVING = frozenset({"approve", "edit", "answer"})


class Deciding(Protocol):
    """Whoever stands at a door."""

    @property
    def scopes(self) -> frozenset[str]: ...
    @property
    def groups(self) -> frozenset[str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...


class Stopped(Protocol):
    """What is known of a suspension when someone wants to decide it."""

    reason: str
    hold: bool
    proposed_tool: str | None
    response_schema: str | None
    owner: str | None
    holder: str | None
    claimed_at_ms: int | None

    @property
    def options(self) -> tuple[str, ...] | None: ...


def is_held(reason: str, hold: bool) -> bool:
    """A person must let it resume. A runtime may ask for more holding, never for less."""
    return reason != Reason.ASK_USER and (hold or reason in settings.ENVIRONMENT.held_reasons)


def allowed_actions(stop: Stopped) -> tuple[str, ...]:
    """What can be decided about this suspension (contract §3)."""
    if stop.reason == Reason.ASK_USER:
        return ("answer", "decline", "stop")
    if stop.proposed_tool is not None:
        return ("approve", "edit", "deny", "answer", "stop")
    return ("approve", "stop")


def why_not(by: Deciding) -> str:
    """Why this actor may not decide; empty when it may. A runtime never may (T19)."""
    if by.kind == "runtime":
        return "A runtime cannot decide; a principal does."
    if "decide" not in by.scopes:
        return "Only principals decide."
    return ""


def refusal(by: Deciding, stop: Stopped, action: str) -> str:
    """Why this actor may not do this about this stop; empty when it may."""
    rules = settings.ENVIRONMENT
    if by.kind == "system":
        return ""
    if said := why_not(by):
        return said
    group = rules.decider_groups.get(stop.reason)
    if group is not None and group not in by.groups:
        return f"Only members of {group} decide this."
    if action in APPROVING and stop.reason in rules.four_eyes and stop.owner == by.name:
        return "You answer for the agent that asks, so someone else must approve it."
    return ""


def is_held_by_another(by: Deciding, stop: Stopped) -> bool:
    """Someone has claimed it, and it is not this actor. Time passing claims nothing away."""
    if stop.holder is None or by.kind == "system":
        return False
    return stop.holder != f"{by.kind}:{by.name}"


def offered(by: Deciding, stop: Stopped) -> tuple[str, ...]:
    """What this actor can decide about it: empty when nothing."""
    if is_held_by_another(by, stop):
        return ()
    return tuple(action for action in allowed_actions(stop) if not refusal(by, stop, action))


def why_nothing(by: Deciding, stop: Stopped) -> str:
    """Why this actor can decide nothing here; empty when there is something."""
    if offered(by, stop):
        return ""
    if said := refusal(by, stop, "stop"):
        return said
    who = (stop.holder or "").partition(":")[2]
    return f"{who} has claimed it; take it over first."


def approvals_needed(reason: str, action: str) -> int:
    """How many people must approve before it counts. A single no is enough."""
    return 2 if action in APPROVING and reason in settings.ENVIRONMENT.two_approvals else 1


def lets_go_on(stop: Stopped, action: str) -> bool:
    """Whether this decision is a permit: a held process goes on by it."""
    return action in APPROVING and stop.reason != Reason.ASK_USER


def bulk_refusal(stop: Stopped, action: str) -> str:
    """Why this is not done to many at once; empty when it may be (T22)."""
    if action in APPROVING and stop.reason == Reason.GUARD:
        return "A guard is approved one at a time."
    return ""


def check_default(
    options: tuple[str, ...] | None, response_schema: str | None, answer: str
) -> None:
    """A default is an answer a person could give. Raises AnswerNotOffered, AnswerEmpty,
    AnswerMisfit.
    """
    if not is_visible(answer):
        raise errors.AnswerEmpty(pointer="/default_answer")
    if options is not None and answer not in options:
        raise errors.AnswerNotOffered(pointer="/default_answer")
    if response_schema is not None:
        checking.check(response_schema, answer)


def check(stop: Stopped, choice: Choice) -> None:
    """Raise unless the choice fits what the process stopped for."""
    if choice.action not in allowed_actions(stop):
        raise errors.ActionNotOffered(
            f"Possible here: {', '.join(allowed_actions(stop))}.", pointer="/action"
        )
    if (
        stop.options is not None
        and choice.action == "answer"
        and choice.answer not in stop.options
    ):
        raise errors.AnswerNotOffered(pointer="/answer")
    if stop.response_schema is not None and choice.action == "answer":
        checking.check(stop.response_schema, choice.answer or "")
