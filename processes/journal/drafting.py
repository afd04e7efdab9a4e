"""What someone is typing about a suspension, before it is a decision."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from processes.journal import limits
from processes.journal.commands import Command

# The fields of a form: words, or f0, f1, … for those of a typed answer or of a call.
NAME = r"^(answer|note|args|f[0-9]{1,2}(-null)?)$"


class SaveDraft(Command):
    """All that stands in the form of one `action`, each field a list of texts, however wrong
    it still is. The last keystroke wins: `typed_at_ms` is the writer's own clock, else ours.
    """

    action: Literal["answer", "decline", "approve", "edit", "deny", "stop"]
    content: dict[Annotated[str, Field(pattern=NAME)], list[str]]
    typed_at_ms: Annotated[int, Field(ge=0, le=limits.TIME_MS)] | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        chars = sum(len(text) for texts in self.content.values() for text in texts)
        if chars > limits.DRAFT_CHARS:
            raise ValueError(f"a draft has at most {limits.DRAFT_CHARS:,} characters")
        return self
