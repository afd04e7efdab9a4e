"""What stands in the forms of a panel: what was sent in vain, drafts, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from processes.shown.answering import Filled, filled, unclaimed
from processes.shown.arguments import pretty
from processes.shown.diff import Changed, diff
from processes.shown.editing import Edit, edited, edits, is_sent
from processes.shown.left import Left, left, words_of
from processes.shown.others import Other, others
from processes.shown.typed import Typed, drafts

if TYPE_CHECKING:
    from dalhc.problems import Problem
    from processes.models import Decision, Draft, Process, Suspension
    from processes.services import Actor


class Writing:
    """The part of a panel that is about text a person wrote."""

    __slots__ = ()

    if TYPE_CHECKING:
        kind: str
        process: Process
        by: Actor
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
        return others(self.actions, self.asks, self.written, faulty, pretty(self._proposed))

    @property
    def edits(self) -> list[Edit]:
        """The arguments as fields; none where they are edited as JSON."""
        written = self.written.get("edit", Typed())
        return [] if "args" in written else edits(self._proposed, written.lists)

    @property
    def may_be_fields(self) -> bool:
        """What is edited as JSON could be fields."""
        return bool(edits(self._proposed, {}))

    @property
    def is_compared(self) -> bool:
        """Somebody asked what an edit would change."""
        return self._edited is not None

    @property
    def changes_nothing(self) -> bool:
        """What was asked to be compared is the call as it was: no fault hides a change."""
        faulty = any(edit.fault for edit in self.edits)
        return self.is_compared and not self.diff and not faulty

    @property
    def diff(self) -> list[Changed]:
        """What the edit changes: of a decision, or of what is being typed."""
        decided = self.decision.args if self.decision else None
        after = decided or self._edited
        return diff(self._proposed, after) if after else []

    @property
    def _proposed(self) -> str:
        return (self.stop and self.stop.proposed_args) or ""

    @property
    def _edited(self) -> str | None:
        """The arguments as someone is writing them; None while nobody is."""
        written = self.written.get("edit", Typed())
        if is_sent(self._proposed, written.lists):
            return edited(self._proposed, written.lists)[0]
        return written.get("args") or None

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
        return words_of(self.stop, self.typed)

    @property
    def left(self) -> list[Left]:
        """What was typed and not sent before its question went away."""
        return left(
            self.process.id, self.stop.id if self.stop and self.kind == "ask" else "", self.by
        )
