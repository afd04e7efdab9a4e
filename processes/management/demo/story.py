"""How a demo story is written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from processes.journal.commands import Effect

type Args = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Did:
    """A tool step: what it was called with, what came of it, and the files it left (path → text)."""

    tool: str
    args: Args
    digest: str
    ok: bool = True
    files: dict[str, str] = field(default_factory=dict)
    effect: Effect = "at_least_once"
    again: int = 0  # replays of it, seen and skipped


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was answered on the way."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Why it stands still now, and for how many minutes."""

    reason: str
    minutes: int
    question: str | None = None
    detail: str | None = None
    options: tuple[str, ...] | None = None
    action: tuple[str, Args] | None = None
    due: int | None = None  # in so many minutes
    expires: int | None = None  # in so many minutes
    on_timeout: str = "wait"
    default: str | None = None
    priority: str = "normal"
    for_principal: bool = False
    claimed: bool = False  # by the principal
    schema: Args | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """One process: opened so many minutes ago by an agent, what it did, how it stands."""

    id: str
    agent: str
    objective: str
    minutes: int
    cycle: str
    phase: str
    did: tuple[Did | Asked, ...] = ()
    stop: Stop | None = None
    ended: tuple[str, str] | None = None  # "completed" or "failed", and its last words
    started: bool = True
    answered: str | None = None  # decided, not picked up
    kind: str | None = None  # objective_class
    task: str | None = None  # objective_id
    due: str | None = None  # objective_due_bucket
