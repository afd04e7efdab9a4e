"""A sleeping agent is a record, not an object: all seven fields of the document, plain JSON
(S2:29-38).
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    StrictInt,
    StrictStr,
    ValidationInfo,
    model_validator,
)

from descriptors.contract import errors, limits, secrets
from processes.journal import limits as journal_limits
from processes.journal.commands import Command
from processes.journal.text import is_visible

type Kind = Literal["timer", "wait-provider", "human", "explicit"]

ENV_CLASSES = ("host", "container", "virtual_machine", "sandbox")
KINDS = ("timer", "wait-provider", "human", "explicit")
# How a stored one is read: it was searched for secrets before it was kept.
STORED: Final = {"stored": True}

_CONTROL = re.compile("[\x00-\x1f\x7f]")


def _plain(value: str) -> str:
    if not is_visible(value) or _CONTROL.search(value):
        raise ValueError("needs visible characters, and no control characters")
    return value


def _version(value: int) -> int:
    if value != limits.FORMAT_VERSION:
        raise errors.UnsupportedFormatVersion(pointer="/format_version")
    return value


def _env_class(value: str) -> str:
    if value not in ENV_CLASSES:
        raise errors.UnknownEnvClass(pointer="/execution_world/env_class")
    return value


def _text(most: int) -> Any:
    return Annotated[str, Field(min_length=1, max_length=most), AfterValidator(_plain)]


class ExecutionWorld(Command):
    """Where it runs: a folder and a class of environment, never the environment's values."""

    cwd: Annotated[str, Field(min_length=1, max_length=limits.CWD_CHARS)]
    env_class: Annotated[str, AfterValidator(_env_class)]

    @model_validator(mode="after")
    def _is_a_folder(self) -> Self:
        _plain(self.cwd)
        return self


class WakeCondition(Command):
    """What wakes it. A timer's key is a Unix millisecond; a human's is its suspension."""

    kind: str
    key: StrictInt | StrictStr

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind not in KINDS:
            raise errors.InvalidWakeCondition(pointer="/wake_conditions")
        if self.kind == "timer":
            fits = isinstance(self.key, int) and 0 < self.key <= journal_limits.TIME_MS
        else:
            fits = isinstance(self.key, str) and is_key(self.key)
        if not fits:
            raise errors.InvalidWakeCondition(pointer="/wake_conditions")
        return self


def is_key(text: str) -> bool:
    """1 to 200 characters, visible, none of them a control character."""
    fits = 0 < len(text) <= limits.KEY_CHARS and is_visible(text)
    return fits and not _CONTROL.search(text)


class Budget(Command):
    """How much it may use before a person is asked; null is no bound."""

    max_consecutive_wakes: Annotated[int, Field(ge=1, le=limits.MOST_WAKES)] = limits.WAKES
    max_steps: Annotated[int, Field(ge=1, le=journal_limits.STEPS_USED)] | None = None
    max_wall_ms: Annotated[int, Field(ge=1, le=limits.MOST_WALL_MS)] | None = None


class LastCommitted(Command):
    """Where the log stood when it went to sleep (S2:35): `source_revision` is
    `<incarnation>:<seq>` of the last journal event, `seq_watermark` that seq.
    """

    source_revision: Annotated[
        str, Field(max_length=limits.REVISION_CHARS, pattern=r"^[0-9a-f]{16}:[0-9]{1,15}$")
    ]
    seq_watermark: Annotated[int, Field(ge=0, le=10**15)]
    turn_id: Annotated[
        str, Field(min_length=1, max_length=limits.TURN_CHARS), AfterValidator(_plain)
    ]

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if int(self.source_revision.partition(":")[2]) != self.seq_watermark:
            raise ValueError("seq_watermark is the number after the colon of source_revision")
        return self

    @property
    def incarnation(self) -> str:
        """Which log it is of."""
        return self.source_revision.partition(":")[0]


class Dormancy(Command):
    """What sleeping on changes: conditions, budget, and how far is committed."""

    wake_conditions: Annotated[
        list[WakeCondition], Field(min_length=1, max_length=limits.CONDITIONS)
    ]
    budget_state: Budget = Budget()
    last_committed: LastCommitted

    @model_validator(mode="before")
    @classmethod
    def _holds_no_secret(cls, value: Any, info: ValidationInfo) -> Any:
        if info.context is not STORED:
            secrets.refuse(value)
        return value


class Descriptor(Dormancy):
    """The whole record of one sleeping agent; `session_id` is its process."""

    session_id: str
    format_version: Annotated[int, AfterValidator(_version)]
    agent_preset_id: Annotated[
        str, Field(min_length=1, max_length=limits.PRESET_CHARS), AfterValidator(_plain)
    ]
    execution_world: ExecutionWorld

    @model_validator(mode="before")
    @classmethod
    def _has_a_session(cls, value: Any) -> Any:
        if isinstance(value, dict) and not value.get("session_id"):
            raise errors.SessionIdRequired(pointer="/session_id")
        return value

    @cached_property
    def text(self) -> str:
        """Canonical JSON: sorted keys, no spaces, so that equal descriptors are equal text."""
        return _encode(self.model_dump())

    @property
    def timer_ms(self) -> int | None:
        """The earliest of its timers."""
        timers = [one.key for one in self.wake_conditions if isinstance(one.key, int)]
        return min(timers, default=None)

    def with_(self, dormancy: Dormancy) -> Descriptor:
        """The same agent, asleep on something else."""
        return self._but({name: getattr(dormancy, name) for name in Dormancy.model_fields})

    def standing_at(self, committed: LastCommitted) -> Descriptor:
        """The same agent, asleep on the same, at another place of its log."""
        return self._but({"last_committed": committed})

    def _but(self, changed: dict[str, Any]) -> Descriptor:
        """With other values; a copy of the model would have the old text."""
        return made(Descriptor.fields_of(self) | changed)

    @staticmethod
    def fields_of(whole: Descriptor) -> dict[str, Any]:
        """Those of a descriptor, also of a command that says more."""
        held = whole.__dict__
        return {name: held[name] for name in _FIELDS}


_FIELDS = tuple(Descriptor.model_fields)
# What pydantic keeps beside the fields; model_construct would look up every default to get
# here.
_BESIDE = (
    ("__pydantic_fields_set__", set(_FIELDS)),
    ("__pydantic_extra__", None),
    ("__pydantic_private__", None),
)


def made(fields: dict[str, Any]) -> Descriptor:
    """A descriptor of values that were checked before."""
    descriptor = Descriptor.__new__(Descriptor)
    for name, value in (("__dict__", fields), *_BESIDE):
        object.__setattr__(descriptor, name, value)
    return descriptor


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def parse(text: str) -> Descriptor | None:
    """A stored descriptor, or None when it is no whole one (contract W11)."""
    try:
        return Descriptor.model_validate(json.loads(text), context=STORED)
    except Exception:  # whatever is wrong with it: the log has the right one
        return None
