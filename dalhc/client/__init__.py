"""What a runtime imports: `Client` and `Run`, or `JournalFolder` where there is no server; and
the errors worth catching. No Django.
"""

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
from dalhc.client.folder import JournalFolder
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
    "JournalFolder",
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
