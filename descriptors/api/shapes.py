"""What the API says about sleeping agents, as models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from descriptors.contract.cycle import Recovery, Stage
from descriptors.contract.record import Descriptor
from processes.api.shapes import HeadReply
from processes.journal.record import Action


class SettledReply(BaseModel):
    """What woke it: the kind and key of the first condition that settled."""

    kind: str
    key: str | int
    at: str
    payload: dict[str, Any] | None


class UsedReply(BaseModel):
    """What of its budget is used since a person last acted."""

    wakes: int
    wall_ms: int


class SleeperReply(BaseModel):
    """A descriptor and where it stands; `due_at` is when it wakes by itself or, while waking,
    when its claim lapses.
    """

    descriptor: Descriptor
    agent: str
    stage: Stage
    due_at: str | None
    woken_by: SettledReply | None
    used: UsedReply
    rebuilt_at: str | None


class SleepersReply(BaseModel):
    """Walk it with `next`, or send the last `session_id` as `after_session`."""

    results: list[SleeperReply]
    next: str | None


class SourceReply(BaseModel):
    """All that was written up to here is on disk: what a commit may name."""

    session_id: str
    source_revision: str
    seq_watermark: int


class WakeReply(BaseModel):
    """One claimed agent. `decided` says that a decision waits; only resume hands it over."""

    descriptor: Descriptor
    record: HeadReply
    lease_epoch: int
    lease_until: str
    next_action: Action
    decided: bool
    woken_by: SettledReply
    recovery: Recovery
    interrupted: bool


class WakesReply(BaseModel):
    """What was due; with none, `next_due` is when the next wakes by itself."""

    results: list[WakeReply]
    next_due: str | None


class SignalReply(BaseModel):
    """How many it woke; `kept` for who will sleep on it when there was none."""

    settled: int
    kept: bool
