"""What stands in the forms of a panel: what was sent in vain, drafts, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalhc.http.carrying import WORDS
from processes.answering.fields import fields
from processes.answering.filling import is_blank
from processes.shown.answering import Filled, filled, unclaimed
from processes.shown.arguments import pretty
from processes.shown.diff import Changed, diff
from processes.shown.others import Other, others
from processes.shown.typed import Typed, drafts

if TYPE_CHECKING:
    from dalhc.problems import Problem
    from processes.models import Decision, Draft, Suspension


class Writing:
    """The part of a panel that is about text a person wrote."""

    __slots__ = ()

    if TYPE_CHECKING:
        stop: Suspension | None
        decision: Decision | None
        typed: Typed
        drafts: list[Draft]
        problem: Problem | None

        @property
        def asks(self) -> bool: ...
        @property
        def actions(self) -> tuple[str, ...]: ...

    @property
    def written(self) -> dict[str, Typed]:
        """What stands in each form: what was just sent, else the draft."""
        action = self.typed.get("action")
        return drafts(self.drafts) | ({action: self.typed} if action else {})

    @property
    def text(self) -> str:
        """What stands in the main field."""
        return self.written.get("answer", Typed()).get("answer", "")

    @property
    def filled(self) -> list[Filled]:
        """The fields of a typed answer; none for a question in words."""
        errors = self.problem.errors if self.problem else ()
        answer = self.written.get("answer", Typed())
        return filled(self.stop, answer, errors) if self.stop else []

    @property
    def unclaimed(self) -> list[str]:
        """Faults of a typed answer that no field shows."""
        if self.problem is None or self.problem.code != "answer_misfit":
            return []
        return unclaimed(self.filled, self.problem.errors)

    @property
    def others(self) -> list[Other]:
        faulty = (self.typed.get("action", ""), self.faulty)
        args = pretty((self.stop and self.stop.proposed_args) or "")
        return others(self.actions, self.asks, self.written, faulty, args)

    @property
    def is_compared(self) -> bool:
        """Somebody asked what an edit would change."""
        return bool(self.written.get("edit", Typed()).get("args"))

    @property
    def diff(self) -> list[Changed]:
        """What the edit changes: of a decision, or of what is being typed."""
        before = (self.stop and self.stop.proposed_args) or ""
        decided = self.decision.args if self.decision else None
        after = decided or self.written.get("edit", Typed()).get("args")
        return diff(before, after) if after else []

    @property
    def saved_at_ms(self) -> int:
        """When the newest draft was saved."""
        return max((one.saved_at_ms for one in self.drafts), default=0)

    @property
    def typed_at_ms(self) -> int:
        """The last keystroke the server knows of, by the writer's own clock."""
        return max((one.typed_at_ms for one in self.drafts), default=0)

    @property
    def faulty(self) -> str:
        """The field the refusal points at."""
        errors = self.problem.errors if self.problem else ()
        return errors[0]["pointer"].lstrip("/") if errors else ""

    @property
    def unsent(self) -> str:
        """Text that has no field to stand in any more."""
        written = (self.typed.get(name, "") for name in WORDS)
        return next(filter(None, written), "") or self._unsent_fields

    @property
    def _unsent_fields(self) -> str:
        """A typed answer as JSON, or field by field where it is none yet."""
        if self.stop is None or self.stop.response_schema is None:
            return ""
        lists = self.typed.lists
        form = fields(self.stop.response_schema)
        lines = (f"{one.title}: {', '.join(lists.get(one.post, ()))}" for one in form)
        return "" if is_blank(form, lists) else "\n".join(lines)
