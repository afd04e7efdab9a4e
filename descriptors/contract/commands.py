"""What a runtime asks about sleeping and waking: bodies of the API, strict."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from descriptors.contract import errors, limits, secrets
from descriptors.contract.record import Descriptor, Dormancy, is_key, made
from processes.journal import limits as journal_limits
from processes.journal.commands import Command

type Epoch = Annotated[int, Field(ge=0)]
type Preset = Annotated[str, Field(min_length=1, max_length=limits.PRESET_CHARS)]


class Sleep(Descriptor):
    """The whole descriptor; `lease_epoch` once the process was leased or claimed."""

    lease_epoch: Epoch | None = None

    @property
    def descriptor(self) -> Descriptor:
        """What is kept of it."""
        return made(Descriptor.fields_of(self))


class ClaimWakes(Command):
    """Whatever is due, or only of these presets. `owner` names this boot of the runtime."""

    presets: Annotated[list[Preset], Field(min_length=1, max_length=50)] | None = None
    limit: Annotated[int, Field(ge=1, le=limits.CLAIMS)] = 1
    ttl_s: Annotated[int, Field(ge=1, le=journal_limits.LEASE_SECONDS)] = 60
    owner: Annotated[str, Field(min_length=1, max_length=journal_limits.NAME_CHARS)] | None = (
        None
    )


class Commit(Dormancy):
    """Sleep again, after the flush that `last_committed` names."""

    lease_epoch: Epoch


class GiveBack(Command):
    """Let go without a commit: it sleeps again unchanged."""

    lease_epoch: Epoch


class Signal(Command):
    """Something happened outside: settle what sleeps on it, or keep it for who will."""

    kind: Literal["wait-provider", "explicit"]
    key: str
    payload: dict[str, Any] | None = None

    @model_validator(mode="before")
    @classmethod
    def _holds_no_secret(cls, value: Any) -> Any:
        secrets.refuse(value)
        return value

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not is_key(self.key):
            raise errors.InvalidWakeCondition(pointer="/key")
        if self.payload is not None and len(self.text or "") > limits.PAYLOAD_CHARS:
            raise ValueError(f"a payload has at most {limits.PAYLOAD_CHARS} characters as JSON")
        return self

    @property
    def text(self) -> str | None:
        """The payload as it is kept."""
        return None if self.payload is None else json.dumps(self.payload, ensure_ascii=False)
