"""What a person said, as a run receives it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal as Exact
from typing import Any, Literal

from dalhc.client.models import Decision


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to a question: answered with `text`, or declined with a `note` and no text."""

    action: Literal["answered", "declined"]
    text: str = ""
    note: str = ""

    @property
    def declined(self) -> bool:
        return self.action == "declined"

    def value(self) -> Any:
        """The value of a typed answer, its fractions exact; ValueError when it is no JSON."""
        return json.loads(self.text, parse_float=Exact)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a stop that was not a question.

    `approve`: go on. `edit`: go on with `args` (canonical text) in place of those proposed.
    `deny`: do not; `note` says why, and the server refuses the same call from now on.
    `answer`: do not; take the words in `answer` as the tool's result.
    """

    action: str
    args: str | None = None
    note: str = ""
    answer: str | None = None

    @property
    def denied(self) -> bool:
        """The call is not to be made: denied, or answered in its place."""
        return self.action not in {"approve", "edit"}


_KNOWN = {"approve", "edit", "deny", "answer"}


def answer(decision: Decision | None) -> Answer:
    """An action this client does not know counts as declined: never as an answer."""
    if decision is not None and decision.action == "answer":
        return Answer("answered", decision.answer or "", decision.note or "")
    return Answer("declined", note=(decision.note if decision else None) or "")


def verdict(decision: Decision | None) -> Verdict:
    """None, or an action this client does not know, counts as denied: never as a permission."""
    if decision is None or decision.action not in _KNOWN:
        return Verdict("deny", note="The server named no decision this client knows.")
    return Verdict(decision.action, decision.args, decision.note or "", decision.answer)
