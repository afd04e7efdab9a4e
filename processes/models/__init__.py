"""The rows: mirrors of the record by equal names, and what the host keeps beside it."""

from __future__ import annotations

from processes.models.archived import Archived
from processes.models.artifact import Artifact
from processes.models.attention import Assignment
from processes.models.decision import Decision
from processes.models.draft import Draft
from processes.models.event import Event
from processes.models.guess import Guess
from processes.models.journal_file import JournalFile
from processes.models.notice import Notice, Recipient
from processes.models.process import Process
from processes.models.reply import IdempotentReply
from processes.models.runtime import RuntimeKey
from processes.models.search import SearchMark
from processes.models.step import Step
from processes.models.suspension import Suspension
from processes.models.turn import Turn
from processes.models.vote import Vote

__all__ = [
    "Archived",
    "Artifact",
    "Assignment",
    "Decision",
    "Draft",
    "Event",
    "Guess",
    "IdempotentReply",
    "JournalFile",
    "Notice",
    "Process",
    "Recipient",
    "RuntimeKey",
    "SearchMark",
    "Step",
    "Suspension",
    "Turn",
    "Vote",
]
