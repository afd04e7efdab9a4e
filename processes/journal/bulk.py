"""Deciding about several stops at once: each is seen, and each is decided or refused alone."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from processes.journal import errors, limits
from processes.journal.commands import Choice, Command, Note
from processes.journal.text import is_visible

type Many = Literal["approve", "decline", "deny", "stop"]


def require_note(action: str, note: str | None) -> None:
    """Only letting it resume needs no reason. Raises NoteRequired."""
    if action != "approve" and not is_visible(note):
        raise errors.NoteRequired(pointer="/note")


class Item(Command):
    """One of them, as it was shown."""

    id: Annotated[str, Field(min_length=1, max_length=limits.ID_CHARS)]
    review_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Bulk(Command):
    """The same decision about each of `items`, in their order."""

    action: Many
    note: Note | None = None
    items: Annotated[
        tuple[Item, ...], Field(min_length=1, max_length=limits.BULK, strict=False)
    ]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        require_note(self.action, self.note)
        if len({item.id for item in self.items}) < len(self.items):
            raise errors.ActionNotOffered("Each is named once.", pointer="/items")
        return self

    def choice(self, item: Item) -> Choice:
        return Choice(action=self.action, note=self.note, review_digest=item.review_digest)
