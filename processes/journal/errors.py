"""Refusals of the contract; each docstring is the message a person or a runtime reads."""

from __future__ import annotations

from dalhc.problems import Problem


class ObjectiveEmpty(Problem):
    """An objective needs at least one visible character."""


class InvalidProcessId(Problem):
    """A process id has 1 to 80 letters, digits, dots, underscores or hyphens, without '..' and
    without a dot at either end.
    """


class ProcessExists(Problem):
    """A process with this id already exists and differs from this request."""


class ProcessNotFound(Problem):
    """There is no such process, or it is not yours."""


class InvalidSuspendReason(Problem):
    """The reason must be ask_user, step_budget, wall_clock, guard or unverified."""


class QuestionRequired(Problem):
    """A process that asks its principal must say the question."""


class ApprovalRequired(Problem):
    """This process is held until a person lets it resume."""


class Denied(Problem):
    """A person denied this action; the same call is refused."""


class MayHaveRun(Problem):
    """This call may have run already, and must run at most once: only a person lets it run
    again.
    """


class AnswerEmpty(Problem):
    """An answer needs at least one visible character."""


class AnswerNotOffered(Problem):
    """The answer must be one of the options the process offered."""


class AnswerMisfit(Problem):
    """The answer does not fit what was asked for."""


class InvalidResponseSchema(Problem):
    """The response_schema is none that people can answer; see the detail."""


class NotApproved(Problem):
    """A person approved another call, and this process is strict: only that one may run now."""


class AlreadyAnswered(Problem):
    """Someone has already decided this."""


class NothingAsked(Problem):
    """This process asks nothing."""


class ActionNotOffered(Problem):
    """This decision does not fit what the process stopped for."""


class NoteRequired(Problem):
    """Say why: the process and the next reader need the reason."""


class NotSuspended(Problem):
    """This process is not suspended."""


class ProcessTerminal(Problem):
    """This process has ended; nothing can be added to it."""


class NotRunning(Problem):
    """This process is not running; resume it first."""


class UnknownState(Problem):
    """The record's state is unknown, and an unknown state is never permission to execute."""


class UnsupportedSchemaVersion(Problem):
    """The record has a schema version this server does not know."""


class CorruptRecord(Problem):
    """The record cannot be read; its bytes are left as they are."""


class InvalidArtifactPath(Problem):
    """An artifact path is relative and stays inside its folder: no '..', no backslash, no
    empty part.
    """


class IdempotencyKeyMismatch(Problem):
    """The idempotency key is not the SHA-256 of the tool, a newline and the arguments."""


class AttemptConflict(Problem):
    """This attempt id was used for another step of the same process."""


class InvalidArgs(Problem):
    """The arguments must be a string, or a JSON object or array, of at most 64 KiB."""


class InvalidTool(Problem):
    """A tool name has 1 to 200 characters and no control characters."""


class StaleReview(Problem):
    """What you decided on has changed since you looked; nothing was decided."""


class NotTakenBack(Problem):
    """The decision has been handed to the process and can no longer be taken back."""


class NothingDecided(Problem):
    """Nothing has been decided here."""


class AskKeyConflict(Problem):
    """This ask_key was used for another question of the same process."""


class Fenced(Problem):
    """Another runtime has claimed this process, or the lease epoch is missing; this write is
    refused.
    """


class Leased(Problem):
    """Another runtime holds the lease of this process."""


class PersistenceDisabled(Problem):
    """Durable processes are switched off (DAL_AGENT_RUNTIME_PERSIST)."""


class PreconditionFailed(Problem):
    """The process has changed since the revision you named."""


class NotAFile(Problem):
    """This is not a plain file: links, folders and devices are not followed."""


class FileChanged(Problem):
    """The journal file has changed since it was read; nothing was written."""


class FileGone(Problem):
    """The journal file is gone; what was read last is shown."""


class UnfinishedWrite(Problem):
    """This is what a write left behind that was never finished; nothing reads it."""


class OwnedByFiles(Problem):
    """This process is owned by its journal file; its runtime writes there, not over the API."""


class InvalidTimeout(Problem):
    """What happens when nobody answers must fit what is asked, and lie ahead."""


class InvalidSnooze(Problem):
    """A snooze ends in the future, and before the expiry."""


class UnknownAssignee(Problem):
    """Nobody here has this name, or nobody who may decide."""


class Expired(Problem):
    """Its time was over before you answered; nothing of yours was sent."""


class Claimed(Problem):
    """Someone else has claimed this; take it over first."""


class TooManyOpen(Problem):
    """This agent has as many open questions as it may have; wait until some are answered."""
