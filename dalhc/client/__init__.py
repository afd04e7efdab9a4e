"""What a runtime imports: `Client` and `Run`, or `JournalFolder` where there is no server; and
the errors worth catching. No Django.
"""

from __future__ import annotations

from dalhc.client.answers import Answer, Verdict
from dalhc.client.chat import ChatPlanner
from dalhc.client.client import Client
from dalhc.client.errors import (
    AlreadyAnswered,
    ApprovalRequired,
    DalhcError,
    Denied,
    Fenced,
    Forbidden,
    Leased,
    MayHaveRun,
    NotFound,
    NotRunning,
    RunEnded,
    StaleReview,
    Unauthorized,
    Unreachable,
)
from dalhc.client.folder import JournalFolder
from dalhc.client.loop import run_tool_loop
from dalhc.client.moves import (
    Ask,
    Budget,
    Call,
    Conversation,
    Done,
    GiveUp,
    Outcome,
    Result,
    scripted,
)
from dalhc.client.run import Run
from dalhc.client.sleepers import WakeBudget, explicit, human, timer, wait_provider
from dalhc.client.wake import Wake

__all__ = [
    "AlreadyAnswered",
    "Answer",
    "ApprovalRequired",
    "Ask",
    "Budget",
    "Call",
    "ChatPlanner",
    "Client",
    "Conversation",
    "DalhcError",
    "Denied",
    "Done",
    "Fenced",
    "Forbidden",
    "GiveUp",
    "JournalFolder",
    "Leased",
    "MayHaveRun",
    "NotFound",
    "NotRunning",
    "Outcome",
    "Result",
    "Run",
    "RunEnded",
    "StaleReview",
    "Unauthorized",
    "Unreachable",
    "Verdict",
    "Wake",
    "WakeBudget",
    "explicit",
    "human",
    "run_tool_loop",
    "scripted",
    "timer",
    "wait_provider",
]
