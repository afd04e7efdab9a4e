"""What a runtime imports: `Client`, `Run`, and the errors worth catching. No Django."""

from __future__ import annotations

from dalhc.client.answers import Answer, Verdict
from dalhc.client.client import Client
from dalhc.client.errors import (
    AlreadyAnswered,
    ApprovalRequired,
    DalhcError,
    Denied,
    Fenced,
    Forbidden,
    Leased,
    NotFound,
    NotRunning,
    RunEnded,
    StaleReview,
    Unauthorized,
    Unreachable,
)
from dalhc.client.run import Run

__all__ = [
    "AlreadyAnswered",
    "Answer",
    "ApprovalRequired",
    "Client",
    "DalhcError",
    "Denied",
    "Fenced",
    "Forbidden",
    "Leased",
    "NotFound",
    "NotRunning",
    "Run",
    "RunEnded",
    "StaleReview",
    "Unauthorized",
    "Unreachable",
    "Verdict",
]
