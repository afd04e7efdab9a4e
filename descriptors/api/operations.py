"""The operations of sleeping and waking, in the table of all operations."""

from __future__ import annotations

from dalhc.http import problems as http
from descriptors.api import shapes
from descriptors.contract import commands, errors, limits
from descriptors.contract.cycle import Stage
from descriptors.contract.record import KINDS
from processes.api.operations import OPERATIONS, Operation
from processes.api.parameters import PATH, QUERY
from processes.journal import errors as journal
from processes.journal import limits as journal_limits

E = errors
PLACE = (E.StaleWatermark, E.AheadOfLog, E.OtherSource)
SAID = (
    E.InvalidWakeCondition, E.UnknownSuspension, E.SecretRefused, E.NotJsonSafe,
    E.NothingToSleepFor, journal.Fenced, journal.PreconditionFailed,
    journal.PersistenceDisabled, *PLACE,
)  # fmt: skip

PATH["session_id"] = (
    {"type": "string", "minLength": 1, "maxLength": journal_limits.ID_CHARS},
    "The process that sleeps.",
)
QUERY |= {
    "wake_kind": (
        {"type": "string", "enum": [*KINDS]}, "Only what sleeps on a condition of this kind."
    ),
    "key_prefix": (
        {"type": "string", "minLength": 1, "maxLength": limits.KEY_CHARS},
        "Only what sleeps on a key that begins with exactly this.",
    ),
    "preset": (
        {"type": "string", "minLength": 1, "maxLength": limits.PRESET_CHARS},
        "Only of this agent preset.",
    ),
    "stage": ({"type": "string", "enum": [*Stage]}, "Only in this stage."),
    "after_session": (
        {"type": "string", "minLength": 1, "maxLength": journal_limits.ID_CHARS},
        "Only what comes after this session id.",
    ),
}  # fmt: skip

OPERATIONS |= {
    ("Descriptors", "GET"): Operation(
        "list_descriptors", "Look up who sleeps, by kind, key prefix, preset and stage",
        shapes.SleepersReply, problems=(http.InvalidRequest, E.InvalidWakeCondition),
        query=("wake_kind", "key_prefix", "preset", "stage", "after_session", "limit"),
    ),
    ("OneDescriptor", "PUT"): Operation(
        "sleep", "Put an agent to sleep", shapes.SleeperReply, commands.Sleep,
        (E.SessionIdRequired, E.UnsupportedFormatVersion, E.UnknownEnvClass, *SAID),
    ),
    ("OneDescriptor", "GET"): Operation(
        "get_descriptor", "Read one sleeper", shapes.SleeperReply,
        problems=(E.DescriptorNotFound, http.InvalidRequest),
    ),
    ("OneDescriptor", "DELETE"): Operation(
        "forget_descriptor", "Forget that it sleeps", shapes.SleeperReply,
        problems=(
            E.DescriptorNotFound, E.StillClaimed, journal.PreconditionFailed,
            journal.PersistenceDisabled,
        ),
    ),
    ("SourceOf", "GET"): Operation(
        "get_source", "Flush: where the log stands on disk", shapes.SourceReply,
        problems=(E.DescriptorNotFound, http.InvalidRequest),
    ),
    ("CommitOf", "POST"): Operation(
        "commit_descriptor", "Sleep again, after the flush", shapes.SleeperReply,
        commands.Commit, (E.DescriptorNotFound, E.NotClaimed, *SAID),
    ),
    ("GiveBackOf", "POST"): Operation(
        "give_back_wake", "Let go without a commit; it sleeps again unchanged",
        shapes.SleeperReply, commands.GiveBack,
        (
            E.DescriptorNotFound, E.NotClaimed, E.NothingToSleepFor, journal.Fenced,
            journal.PreconditionFailed, journal.PersistenceDisabled,
        ),
    ),
    ("Claims", "POST"): Operation(
        "claim_wakes", "Claim what is due; with `wait`, as soon as something is",
        shapes.WakesReply, commands.ClaimWakes,
        (http.TooManyWaiters, journal.PersistenceDisabled), query=("wait",),
    ),
    ("Signals", "POST"): Operation(
        "signal", "Wake what sleeps on a key, or keep it for who will", shapes.SignalReply,
        commands.Signal,
        (
            E.InvalidWakeCondition, E.SecretRefused, E.NotJsonSafe, E.TooManySignals,
            journal.PersistenceDisabled,
        ),
    ),
}  # fmt: skip
