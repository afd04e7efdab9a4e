"""Every operation of the API: what goes in, what comes out, what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, RootModel

from dalhc.http import problems as http
from dalhc.problems import Problem
from processes.api import shapes
from processes.journal import attention, bulk, commands, errors, limits, parse
from processes.journal.record import METADATA, ProcessRecord
from processes.services import artifact_bytes, artifacts

E, H, J = errors, http, parse
BODY = (
    J.NotJson, J.DuplicateKey, J.LoneSurrogate, J.TooDeep, J.TooManyParts, J.Nul,
    H.TooLarge, H.UnsupportedMediaType, H.InvalidRequest, H.ExtraField,
)  # fmt: skip
WRITE = (E.Fenced, E.OwnedByFiles, E.PreconditionFailed, E.PersistenceDisabled)
DECIDE = (
    E.NotSuspended, E.ProcessTerminal, E.PreconditionFailed, E.PersistenceDisabled, E.Expired,
    E.Claimed,
)  # fmt: skip
BYTES = "application/octet-stream"
PAGED = ("limit", "cursor", "count")
SEQ = ("after", "limit")
IMPORT = (
    E.CorruptRecord, E.UnsupportedSchemaVersion, E.UnknownState, E.InvalidSuspendReason,
    E.InvalidProcessId, E.ObjectiveEmpty, E.QuestionRequired, E.InvalidArtifactPath,
    E.IdempotencyKeyMismatch, E.ProcessExists,
)  # fmt: skip


class Page(BaseModel):
    """Walk it with `next`, or send `next_cursor` as `cursor` with the same filters."""

    next: str | None
    previous: str | None
    next_cursor: str | None
    count: int | None = None


class Pages(Page):
    results: list[shapes.HeadReply]


class Inbox(Page):
    results: list[shapes.SuspensionReply]


class History(BaseModel):
    """Walk it with `next`, or send the last `seq` as `after`."""

    next: str | None
    previous: None = None


class StepHistory(History):
    results: list[shapes.StepReply]


class TurnHistory(History):
    results: list[shapes.TurnReply]


class EventHistory(History):
    results: list[shapes.EventReply]


class ArtifactList(History):
    results: list[shapes.ArtifactReply]


class AppendedSteps(BaseModel):
    """The reply to a list of steps, in its order."""

    results: list[shapes.StepReply]
    revision: int


type Steps = Annotated[
    list[commands.AppendStep], Field(min_length=1, max_length=limits.STEPS_PER_REQUEST)
]


class OneStepOrMany(RootModel[commands.AppendStep | Steps]):
    """One step, or 1 to 100 in the order they were taken."""


class OneOrAll(RootModel[shapes.StepReply | AppendedSteps]):
    """As it was sent: one step for one, `results` for a list."""


@dataclass(frozen=True)
class Operation:
    """One method of one address; `body` and `reply` are models, or the media type of bytes."""

    id: str
    summary: str
    reply: type[BaseModel] | str
    body: type[BaseModel] | str | None = None
    problems: tuple[type[Problem], ...] = ()
    query: tuple[str, ...] = ()
    statuses: tuple[int, ...] = (200,)
    headers: tuple[str, ...] = ()


OPERATIONS: dict[tuple[str, str], Operation] = {
    ("Processes", "POST"): Operation(
        "open_process", "Open a process", shapes.RecordReply, commands.OpenProcess,
        (E.ObjectiveEmpty, E.InvalidProcessId, E.ProcessExists, *WRITE[1:]),
        statuses=(201, 200), headers=("Location", "ETag"),
    ),
    ("Processes", "GET"): Operation(
        "list_processes", "List processes, newest first", Pages,
        problems=(H.InvalidRequest, H.BadCursor),
        query=("state", "reason", "agent", *METADATA, "held", "q", "updated_after", *PAGED),
    ),
    ("OneProcess", "GET"): Operation(
        "get_process", "Read the whole record", shapes.RecordReply,
        problems=(H.InvalidRequest,), query=("steps",), headers=("ETag",),
    ),
    ("Journal", "GET"): Operation(
        "get_journal", "Download the exact journal file", ProcessRecord,
        problems=(H.InvalidRequest,),
    ),
    ("Passport", "GET"): Operation(
        "get_passport", "Download everything of it in one page, for people", "text/html",
        problems=(H.InvalidRequest,),
    ),
    ("NextAction", "GET"): Operation(
        "next_action", "What to do next; with `wait`, as soon as it changes", shapes.NextReply,
        problems=(H.InvalidRequest, H.TooManyWaiters),
        query=("wait",), headers=("ETag",),
    ),
    ("Steps", "POST"): Operation(
        "append_steps", "Append one step, or a list of up to 100",
        OneOrAll, OneStepOrMany,
        (
            E.NotRunning, E.ProcessTerminal, E.Denied, E.NotApproved, E.AttemptConflict,
            E.InvalidTool, E.InvalidArgs, E.InvalidArtifactPath, E.IdempotencyKeyMismatch,
            *WRITE,
        ),
        statuses=(201, 200), headers=("ETag", "Idempotent-Replayed"),
    ),
    ("Steps", "GET"): Operation(
        "list_steps", "Steps in order", StepHistory,
        problems=(H.InvalidRequest,), query=SEQ,
    ),
    ("Attempts", "POST"): Operation(
        "begin_attempt", "Say that a call is about to be made", shapes.AttemptReply,
        commands.BeginAttempt,
        (
            E.MayHaveRun, E.Denied, E.NotApproved, E.NotRunning, E.ProcessTerminal,
            E.InvalidTool, E.InvalidArgs, *WRITE,
        ),
        headers=("ETag",),
    ),
    ("Turns", "GET"): Operation(
        "list_turns", "Turns in order", TurnHistory,
        problems=(H.InvalidRequest,), query=SEQ,
    ),
    ("Events", "GET"): Operation(
        "list_events", "The log in order", EventHistory,
        problems=(H.InvalidRequest,), query=SEQ,
    ),
    ("SuspendProcess", "POST"): Operation(
        "suspend_process", "Stop, and say why", shapes.SuspendReply, commands.Suspend,
        (
            E.InvalidSuspendReason, E.QuestionRequired, E.ActionNotOffered,
            E.InvalidResponseSchema,
            E.InvalidTool, E.InvalidArgs, E.NotRunning, E.ProcessTerminal, E.AskKeyConflict,
            E.InvalidTimeout, E.UnknownAssignee, E.AnswerNotOffered, E.AnswerEmpty,
            E.TooManyOpen, *WRITE,
        ),
        headers=("ETag",),
    ),
    ("ResumeProcess", "POST"): Operation(
        "resume_process", "Go on; the decision comes in the reply", shapes.ResumeReply,
        commands.Resume, (E.ApprovalRequired, E.Expired, *WRITE), headers=("ETag",),
    ),
    ("CompleteProcess", "POST"): Operation(
        "complete_process", "The objective is reached", shapes.HeadReply, commands.Complete,
        (E.NotRunning, E.ProcessTerminal, *WRITE), headers=("ETag",),
    ),
    ("FailProcess", "POST"): Operation(
        "fail_process", "The objective is given up", shapes.HeadReply, commands.Fail,
        (E.NotRunning, E.ProcessTerminal, *WRITE), headers=("ETag",),
    ),
    ("StopProcess", "POST"): Operation(
        "stop_process", "A person ends the process", shapes.HeadReply, commands.Stop,
        (
            E.NoteRequired, E.OwnedByFiles, E.FileChanged, E.FileGone, E.ProcessTerminal,
            E.PreconditionFailed, E.PersistenceDisabled,
            E.Claimed,
        ),
        headers=("ETag",),
    ),
    ("Lease", "POST"): Operation(
        "take_lease", "Claim the run", shapes.LeaseReply, commands.TakeLease,
        (E.Leased, E.ProcessTerminal, *WRITE), headers=("ETag",),
    ),
    ("Heartbeat", "POST"): Operation(
        "renew_lease", "Renew one's own living lease", shapes.LeaseReply, commands.HoldLease,
        WRITE, headers=("ETag",),
    ),
    ("Release", "POST"): Operation(
        "release_lease", "Give the run back", shapes.LeaseReply, commands.HoldLease,
        WRITE, headers=("ETag",),
    ),
    ("Artifacts", "GET"): Operation(
        "list_artifacts", "Artifacts by path", ArtifactList, problems=(H.InvalidRequest,)
    ),
    ("OneArtifact", "PUT"): Operation(
        "put_artifact", "Upload an artifact", shapes.ArtifactReply,
        BYTES,
        (
            E.InvalidArtifactPath, artifact_bytes.ArtifactTooLarge, artifacts.TooManyArtifacts,
            artifact_bytes.ArtifactQuota,
            E.ProcessTerminal, H.InvalidRequest, *WRITE,
        ),
        query=("lease_epoch",), statuses=(201, 200),
    ),
    ("OneArtifact", "GET"): Operation(
        "get_artifact", "Download an artifact", BYTES,
        problems=(artifacts.ArtifactNotFound, H.InvalidRequest), headers=("ETag",),
    ),
    ("Import", "POST"): Operation(
        "import_process", "Take in one journal file", shapes.RecordReply,
        ProcessRecord, (*IMPORT, E.PersistenceDisabled),
        statuses=(201, 200), headers=("Location", "ETag"),
    ),
    ("Suspensions", "GET"): Operation(
        "list_suspensions", "The inbox: expiring first, then oldest", Inbox,
        problems=(H.InvalidRequest, H.BadCursor),
        query=("reason of a stop", "process_id", "status", "agent", "mine", "snoozed", *PAGED),
    ),
    ("OneSuspension", "GET"): Operation(
        "get_suspension", "Everything a decision needs", shapes.SuspensionReply,
        problems=(H.InvalidRequest,), headers=("ETag",),
    ),
    ("DecisionOf", "POST"): Operation(
        "decide", "Decide; the first wins", shapes.SuspensionReply, commands.Choice,
        (
            E.AlreadyAnswered, E.StaleReview, E.ActionNotOffered, E.AnswerNotOffered,
            E.AnswerMisfit,
            E.AnswerEmpty, E.NoteRequired, E.InvalidArgs, E.FileChanged, E.FileGone, *DECIDE,
        ),
        headers=("ETag",),
    ),
    ("DecisionOf", "DELETE"): Operation(
        "take_back", "Take a decision back, until it is delivered", shapes.SuspensionReply,
        problems=(
            E.NothingDecided, E.NotTakenBack, H.InvalidRequest, E.PreconditionFailed,
            E.PersistenceDisabled,
        ),
        headers=("ETag",),
    ),
    ("BulkDecision", "POST"): Operation(
        "decide_many", "Decide several; each has its own outcome", shapes.BulkReply, bulk.Bulk,
        (E.NoteRequired, E.ActionNotOffered, E.PersistenceDisabled),
    ),
    ("ClaimOf", "POST"): Operation(
        "claim", "Be the one who decides it", shapes.SuspensionReply, attention.Claim,
        DECIDE, headers=("ETag",),
    ),
    ("ReleaseOf", "POST"): Operation(
        "release", "Give back what you have claimed", shapes.SuspensionReply,
        problems=(H.InvalidRequest, *DECIDE), headers=("ETag",),
    ),
    ("ReassignOf", "POST"): Operation(
        "reassign", "Say whom it is meant for", shapes.SuspensionReply, attention.Reassign,
        (E.UnknownAssignee, *DECIDE), headers=("ETag",),
    ),
    ("SnoozeOf", "POST"): Operation(
        "snooze", "Out of the list until a moment", shapes.SuspensionReply, attention.Snooze,
        (E.InvalidSnooze, *DECIDE), headers=("ETag",),
    ),
    ("Ack", "POST"): Operation(
        "acknowledge", "The runtime has used the decision", shapes.SuspensionReply,
        problems=(E.NothingDecided, H.InvalidRequest, *WRITE), headers=("ETag",),
    ),
    ("RingOf", "POST"): Operation(
        "ring_again", "Wake whoever waits for the decision", shapes.SuspensionReply,
        problems=(
            E.NothingDecided, H.InvalidRequest, E.PreconditionFailed, E.PersistenceDisabled,
        ),
        headers=("ETag",),
    ),
    ("NackOf", "POST"): Operation(
        "refuse_delivery", "The runtime could not use the decision", shapes.SuspensionReply,
        commands.Nack, (E.NoteRequired, E.NothingDecided, E.ProcessTerminal, *WRITE),
        headers=("ETag",),
    ),
}  # fmt: skip
