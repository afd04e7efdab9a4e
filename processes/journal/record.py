"""The record of one run: head, steps, turns, with the names of the journal file (S0:11-19,
contract §1).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from processes.journal import limits


class State(StrEnum):
    """Where a process stands. Suspended is not failed (contract U01)."""

    SUSPENDED = "suspended"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a process is suspended (S0:23, S0:39-43)."""

    OPENED = "opened"
    ASK_USER = "ask_user"
    STEP_BUDGET = "step_budget"
    WALL_CLOCK = "wall_clock"
    GUARD = "guard"
    UNVERIFIED = "unverified"


class Action(StrEnum):
    """What a runtime does next (S0:47)."""

    TERMINAL = "terminal"
    CONTINUE = "continue"
    NEEDS_ANSWER = "needs_answer"


TERMINAL = frozenset({State.COMPLETED, State.FAILED})
INBOX_REASONS = tuple(reason for reason in Reason if reason is not Reason.OPENED)
METADATA = (
    "cycle_id",
    "cycle_phase",
    "objective_id",
    "objective_class",
    "objective_due_bucket",
)

type Meta = Annotated[str | None, Field(max_length=limits.NAME_CHARS)]
type Millis = Annotated[StrictInt, Field(gt=0, le=limits.TIME_MS)]


class Value(BaseModel):
    """A frozen value, readable from a database row of equal names."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore")


class ProcessStep(Value):
    """One tool step. `args` is the canonical string, `result_digest`
    at most 2,000 characters.
    """

    tool: str
    args: str
    success: StrictBool
    result_digest: str = ""
    artifacts: tuple[str, ...] = ()
    idempotency_key: str


class ProcessTurn(Value):
    """One turn of the conversation: the assistant asks, the user answers (S0:45)."""

    role: Literal["assistant", "user"]
    content: str


class ProcessHead(Value):
    """All of a record but its history. Times are Unix milliseconds."""

    schema_version: int = limits.SCHEMA_VERSION
    id: str
    objective: str
    state: State
    suspend_reason: Reason | None = None
    question: str | None = None
    principal_answer: str | None = None
    steps_used: StrictInt = Field(default=0, ge=0, le=limits.STEPS_USED)
    cycle_id: Meta = None
    cycle_phase: Meta = None
    objective_id: Meta = None
    objective_class: Meta = None
    objective_due_bucket: Meta = None
    created_at_ms: Millis
    updated_at_ms: Millis


class ProcessRecord(ProcessHead):
    """The whole journal of one run."""

    steps: tuple[ProcessStep, ...] = ()
    turns: tuple[ProcessTurn, ...] = ()
