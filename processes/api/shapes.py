"""What the API says, as models: OpenAPI is made of them, and tests hold every reply to them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from processes.journal.record import Action, ProcessHead, ProcessRecord


class HostFields(BaseModel):
    """Beside the record: whose it is, how far it is, what is next."""

    agent: str
    origin: Literal["api", "files"]
    revision: int
    next_action: Action
    held: bool
    decided: bool
    suspension: str | None
    outcome: str | None
    turns_dropped: int
    lease_epoch: int


class HeadReply(ProcessHead, HostFields):
    """A process without its history."""


class RecordReply(ProcessRecord, HostFields):
    """A process whole; `truncated` when steps were left out, and then where they are."""

    truncated: bool
    steps_next: str | None


class StepReply(BaseModel):
    """A stored step; `skipped` says that it had been recorded before."""

    seq: int
    tool: str
    args: str
    success: bool
    result_digest: str
    artifacts: list[str]
    idempotency_key: str
    attempt_id: str | None
    effect: str
    digest_clipped: bool
    artifacts_dropped: int
    at: str
    skips: int
    skipped: bool = False
    revision: int | None = None


class AttemptReply(BaseModel):
    """`step` is the recorded success, and then nothing is to be done."""

    revision: int
    step: StepReply | None


class TurnReply(BaseModel):
    seq: int
    role: Literal["assistant", "user"]
    content: str
    by: str
    suspension: str | None
    at: str


class EventReply(BaseModel):
    seq: int
    kind: str
    actor: str
    at_ms: int
    data: dict[str, Any]
    prev_hash: str
    hash: str


class DecisionReply(BaseModel):
    """What a person decided. `answer` is the words, `args` the canonical arguments after an
    edit.
    """

    id: str
    action: str
    answer: str | None
    args: str | None
    note: str | None
    by: str
    at: str


class Approvals(BaseModel):
    """How many people must approve, and how many have; what they said is seen afterwards."""

    needed: int
    given: int


class SuspensionReply(BaseModel):
    """One stop, everything a decision needs; the decision itself once it is delivered."""

    id: str
    process_id: str
    agent: str
    objective: str
    reason: str
    question: str | None
    detail: str | None
    options: list[str] | None
    response_schema: dict[str, Any] | None
    proposed_action: dict[str, str] | None
    strict: bool
    held: bool
    status: str
    opened_at: str
    revision: int
    review_digest: str
    due_at: str | None
    expires_at: str | None
    on_timeout: Literal["wait", "decline", "default", "stop"]
    default_answer: str | None
    priority: Literal["low", "normal", "high"]
    assignees: list[str]
    holder: str | None
    claimed_at: str | None
    snoozed_until: str | None
    approvals: Approvals
    actions: list[str]
    can_decide: bool
    why_not: str | None
    delivered_at: str | None
    used_step: int | None
    ran: Literal["approved", "other"] | None
    nack_error: str | None
    decision: DecisionReply | None


class OutcomeReply(BaseModel):
    """`code` and `detail` say why one was left as it is."""

    id: str
    done: bool
    code: str | None
    detail: str | None


class BulkReply(BaseModel):
    """How many were done, and what became of each, in the order of the items."""

    done: int
    results: list[OutcomeReply]


class SuspendReply(BaseModel):
    record: HeadReply
    suspension: SuspensionReply


class ResumeReply(BaseModel):
    """`decision` is there when a person had decided; only resume hands it over."""

    result: Action
    record: HeadReply
    decision: DecisionReply | None


class NextReply(BaseModel):
    next_action: Action
    held: bool
    decided: bool
    suspension: str | None
    revision: int


class LeaseReply(BaseModel):
    process_id: str
    lease_epoch: int
    owner: str | None
    lease_until: str | None
    revision: int


class ArtifactReply(BaseModel):
    process_id: str
    path: str
    sha256: str
    size: int
    at: str


class MessageReply(BaseModel):
    """`process_id` is null, and `detail` says why, when nothing was kept."""

    ok: Literal[True]
    process_id: str | None
    detail: str | None


class TaskReply(MessageReply):
    task_id: str


class StatusReply(BaseModel):
    """`processes` counts those of the key, each count ending at 999."""

    id: str
    name: str
    type: str
    status: Literal["active", "idle"]
    processes: dict[str, int]


class HealthReply(BaseModel):
    status: Literal["ok"]


class ProblemReply(BaseModel):
    """RFC 9457; `code` is stable, `error` repeats the title for DAL clients."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    error: str
    request_id: str
    errors: list[dict[str, str]] | None = None
    current: dict[str, Any] | None = None
