"""What the server replies. Unknown fields are ignored: a newer server may say more."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Reply(BaseModel):
    """A frozen value read from a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Step(Reply):
    """A recorded tool step: `args` canonical, `result_digest` at most 2,000 characters."""

    tool: str
    args: str
    success: bool
    result_digest: str = ""
    artifacts: tuple[str, ...] = ()
    idempotency_key: str
    seq: int | None = None


class Appended(Step):
    """A step as the server kept it; `skipped` when its key had succeeded before."""

    skipped: bool = False
    digest_clipped: bool = False
    artifacts_dropped: int = 0


class Turn(Reply):
    """One turn of the conversation: the assistant asked, the user answered."""

    role: str
    content: str
    seq: int | None = None
    by: str = ""


class Event(Reply):
    """One line of the audit log: who did what and when (Unix milliseconds)."""

    seq: int
    kind: str
    actor: str = ""
    at_ms: int | None = None
    data: dict[str, Any] = Field(default_factory=dict)


class Head(Reply):
    """A process without its history. Times are Unix ms; `revision` is the last event's seq."""

    id: str
    objective: str
    state: str
    suspend_reason: str | None = None
    question: str | None = None
    principal_answer: str | None = None
    steps_used: int = 0
    cycle_id: str | None = None
    cycle_phase: str | None = None
    objective_id: str | None = None
    objective_class: str | None = None
    objective_due_bucket: str | None = None
    created_at_ms: int
    updated_at_ms: int
    agent: str | None = None
    revision: int | None = None
    next_action: str | None = None
    held: bool = False
    decided: bool = False
    suspension: str | None = None
    lease_epoch: int | None = None
    outcome: str | None = None  # the final text, the error, or the note of whoever ended it

    @property
    def ended(self) -> bool:
        return self.state in {"completed", "failed"}


class Record(Head):
    """A process with its steps and turns; `truncated` when one reply could not hold them."""

    steps: tuple[Step, ...] = ()
    turns: tuple[Turn, ...] = ()
    truncated: bool = False


class Decision(Reply):
    """What a person decided: answer, decline, approve, edit, deny or stop."""

    action: str
    answer: str | None = None
    args: str | None = None
    note: str | None = None
    by: str = ""
    at: str | None = None

    def arguments(self) -> Any:
        """The edited arguments as JSON, or None when there are none."""
        return None if self.args is None else json.loads(self.args)


class Suspension(Reply):
    """One stop of a process: what was asked, and what became of it."""

    id: str
    process_id: str
    reason: str
    status: str = "open"
    question: str | None = None
    detail: str | None = None
    options: tuple[str, ...] | None = None
    response_schema: dict[str, Any] | None = None
    proposed_action: dict[str, str] | None = None
    ran: str | None = None
    held: bool = False
    actions: tuple[str, ...] = ()
    opened_at: str | None = None
    objective: str | None = None
    agent: str | None = None
    revision: int | None = None
    review_digest: str | None = None
    can_decide: bool | None = None
    why_not: str | None = None
    decision: Decision | None = None


class Suspended(Reply):
    """The process after a stop, and the stop; with a known `ask_key` the earlier stop."""

    record: Head
    suspension: Suspension


class Next(Reply):
    """What to do next: terminal, continue or needs_answer; `held` until a person decided."""

    next_action: str
    held: bool = False
    decided: bool = False
    suspension: str | None = None
    revision: int | None = None

    @property
    def waits(self) -> bool:
        """True while only a person can move the process on."""
        return self.next_action == "needs_answer" or (self.held and not self.decided)


class Resumed(Reply):
    """The outcome of a resume: continue (with what was decided), needs_answer or terminal."""

    result: str
    record: Head
    decision: Decision | None = None


class Lease(Reply):
    """The claim of a run; every later write carries its epoch."""

    lease_epoch: int
    owner: str | None = None
    lease_until: str | None = None


class Artifact(Reply):
    """An uploaded file."""

    path: str = ""
    sha256: str
    size: int | None = None


class Source(Reply):
    """How far the log is on disk: what a descriptor may name."""

    source_revision: str
    seq_watermark: int


class Settled(Reply):
    """What woke an agent; `payload` is what came with a signal."""

    kind: str
    key: str | int
    at: str
    payload: dict[str, Any] | None = None


class Asleep(Reply):
    """A descriptor and where it stands: sleeping, waking or spent."""

    descriptor: dict[str, Any]
    stage: str
    due_at: str | None = None
    woken_by: Settled | None = None


class Claimed(Reply):
    """One claimed agent. `recovery` is rebuild when its descriptor was made again from the log,
    `interrupted` when an earlier claim ended without a commit.
    """

    descriptor: dict[str, Any]
    record: Head
    lease_epoch: int
    next_action: str
    decided: bool
    woken_by: Settled
    recovery: str = "keep"
    interrupted: bool = False


class Reached(Reply):
    """How many a signal woke; kept for later when there was none."""

    settled: int
    kept: bool
