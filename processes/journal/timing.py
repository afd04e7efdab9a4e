"""Who a stop is meant for and until when, as a runtime says it: moments, priority, and what
happens when nobody answers.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from processes.journal import errors, limits

type OnTimeout = Literal["wait", "decline", "default", "stop"]
type Priority = Literal["low", "normal", "high"]

PRIORITIES: Final = ("high", "normal", "low")
TIMEOUTS: Final = ("wait", "decline", "default", "stop")

_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII,
)
# Above every moment there is, so that whatever expires stands before whatever does not.
_BAND = 10**15


def moment(value: Any) -> int:
    """Unix milliseconds of an RFC 3339 moment. One without a zone means something else to each
    reader and is refused (cases B62).
    """
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("a moment reads as 2026-11-29T17:30:00Z, with its zone")
    try:
        at = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("there is no such moment") from None
    ms = round(at.timestamp() * 1000)
    if not 0 < ms <= limits.TIME_MS:
        raise ValueError("the moment is out of range")
    return ms


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("someone is named twice")
    return names


type Moment = Annotated[
    int, BeforeValidator(moment), WithJsonSchema({"type": "string", "format": "date-time"})
]
type Assignee = Annotated[
    str, Field(pattern=r"^(group:)?[\w.@+-]{1,150}$", max_length=limits.ASSIGNEE_CHARS)
]
type Assignees = Annotated[
    tuple[Assignee, ...],
    Field(max_length=limits.ASSIGNEES, strict=False, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_each_once),
]


class Timing(BaseModel):
    """`assignees` are people by name, or groups as `group:finance`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    due_at: Moment | None = None
    expires_at: Moment | None = None
    on_timeout: OnTimeout = "wait"
    default_answer: Annotated[str, Field(max_length=limits.TEXT_CHARS)] | None = None
    priority: Priority = "normal"
    assignees: Assignees = ()


def require_fitting(timing: Timing, *, asks: bool, proposes: bool) -> None:
    """What happens without an answer must be possible, and is never an approval.

    Raises InvalidTimeout.
    """
    if timing.on_timeout != "wait" and timing.expires_at is None:
        raise errors.InvalidTimeout("Say when: expires_at.", pointer="/expires_at")
    if (timing.on_timeout == "default") != (timing.default_answer is not None):
        raise errors.InvalidTimeout(
            "A default answer and on_timeout `default` belong together.",
            pointer="/default_answer",
        )
    if timing.on_timeout == "default" and not asks:
        raise errors.InvalidTimeout(
            "Only a question has a default answer; nothing is ever approved by waiting.",
            pointer="/on_timeout",
        )
    if timing.on_timeout == "decline" and not (asks or proposes):
        raise errors.InvalidTimeout(
            "There is nothing to decline: it neither asks nor proposes a call.",
            pointer="/on_timeout",
        )


def rank(expires_at: int | None, on_timeout: str, priority: str, opened_at: int) -> int:
    """The place in the inbox, smallest first: expiring, then by priority, then oldest."""
    if expires_at is not None and on_timeout != "wait":
        return expires_at
    return (PRIORITIES.index(priority) + 1) * _BAND + opened_at


def is_passed(status: str, expires_at: int | None, on_timeout: str, now: int) -> bool:
    """Its time is over: at the very millisecond of `expires_at` an answer is too late."""
    waits = status == "open" and on_timeout != "wait"
    return waits and expires_at is not None and now >= expires_at
