"""The bodies of a DAL host's `POST /task` and `POST /message`, as DAL sends them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from processes.journal import errors, limits
from processes.journal.commands import Command, ProcessId
from processes.journal.text import is_visible

type Name = Annotated[str, Field(max_length=limits.NAME_CHARS)]
type Words = Annotated[str, Field(max_length=limits.OBJECTIVE_CHARS)]


class Durable(Command):
    """What both say: kept only with a `process_id` or `durable: true` (S0:61). The rest is for
    whoever does the work, and reaches it as it was sent.
    """

    sub_tasks: Annotated[tuple[Words, ...] | None, Field(max_length=100, strict=False)] = None
    include_dal_summary: bool | None = None
    dal_file: Annotated[str | None, Field(max_length=limits.ROOT_BYTES)] = None
    working_root: str | None = None
    process_id: ProcessId | None = None
    durable: bool | None = None

    @property
    def is_durable(self) -> bool:
        return self.process_id is not None or self.durable is True

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if len((self.working_root or "").encode()) > limits.ROOT_BYTES:
            raise ValueError(f"working_root has at most {limits.ROOT_BYTES} bytes")
        return self


class TaskBody(Durable):
    """A task: `description` is what is to be done. `wait` is taken and changes nothing: no
    model runs here, so there is no result to wait for.
    """

    description: Words
    task_id: Name = ""
    priority: Name = ""
    requester_id: Name = ""
    wait: bool | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not is_visible(self.description):
            raise errors.ObjectiveEmpty(pointer="/description")
        return self


class MessageBody(Durable):
    """A message; `objective`, or else its content, is what a process opened for it is for."""

    sender_id: Name
    content: Words
    message_type: Name = ""
    objective: Words | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not is_visible(self.objective or self.content):
            raise errors.ObjectiveEmpty(pointer="/content")
        return self
