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


class Deciding(Protocol):
    """Whoever stands at a door."""

    @property
    def scopes(self) -> frozenset[str]: ...
    @property
    def kind(self) -> str: ...


class Stopped(Protocol):
    """What is known of a suspension when someone wants to decide it."""

    reason: str
    hold: bool
    proposed_tool: str | None
    response_schema: str | None

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
