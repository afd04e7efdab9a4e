"""The parameters of the API by name: the schema of each and what it means."""

from __future__ import annotations

from typing import Any

from processes.api.cursor import MOST, USUAL
from processes.api.query import LONGEST_WAIT
from processes.journal import limits
from processes.journal.record import INBOX_REASONS, METADATA, Reason, State
from processes.models.suspension import STATUSES

type Told = tuple[dict[str, Any], str]


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _whole(low: int, high: int, **more: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high, **more}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": [*values]}


BOOLEAN = {"type": "boolean"}
# In a query: an empty or endless one is a value too, and finds nothing.
TEXT = {"type": "string"}
LARGE = 2**53

PATH: dict[str, Told] = {
    "process_id": (_text(limits.ID_CHARS), "The process, as it was opened."),
    "suspension_id": (_text(limits.ID_CHARS), "One stop of a process."),
    "path": (
        _text(limits.ARTIFACT_PATH_CHARS),
        "Relative, with slashes; they are sent as they are.",
    ),
}
QUERY: dict[str, Told] = {
    "limit": (_whole(1, MOST, default=USUAL), "How many at most."),
    "cursor": ({"type": "string"}, "`next_cursor` of a page with the same filters."),
    "count": (BOOLEAN, "Also count the whole list."),
    "after": (_whole(0, LARGE), "Only what comes after this seq."),
    "state": (_one_of(*State), "Only in this state."),
    "reason": (_one_of(*Reason), "Only suspended for this reason."),
    "reason of a stop": (_one_of(*INBOX_REASONS), "Only stopped for this reason."),
    "agent": (TEXT, "Only of this agent."),
    "held": (BOOLEAN, "Only held until a person decides, or only not held."),
    "q": (_text(limits.NAME_CHARS), "Words of the id, the objective or the question."),
    "updated_after": (_whole(0, limits.TIME_MS), "Only changed after this Unix millisecond."),
    "steps": (
        {"type": "string", "pattern": "^tail:[0-9]{1,4}$"},
        "Only the last steps, as in `tail:100`.",
    ),
    "wait": (_whole(0, LONGEST_WAIT, default=0), "Wait this many seconds for a change."),
    "lease_epoch": (_whole(0, LARGE), "Your lease's epoch, once the process was leased."),
    "process_id": (TEXT, "Only of this process."),
    "mine": (BOOLEAN, "Only what you have claimed, or what is meant for you and is free."),
    "snoozed": (BOOLEAN, "Only what is put off; otherwise only what is not."),
    "status": (_one_of(*STATUSES), "Only with this status; `open` unless said otherwise."),
    **{name: (TEXT, f"Only with exactly this {name}.") for name in METADATA},
}
REQUEST: dict[str, Told] = {
    "Idempotency-Key": (
        _text(255),
        "The same key with the same body again repeats the first reply and does nothing.",
    ),
    "If-Match": (
        {"type": "string", "pattern": '^("[0-9]{1,18}"|[*])$'},
        'Only if the process is at this revision, as in `"14"`.',
    ),
    "If-None-Match": ({"type": "string"}, "304 when the process is still at this revision."),
    "Prefer": ({"type": "string"}, "`wait=25`, the same as `?wait=25`."),
}
REPLY: dict[str, Told] = {
    "ETag": ({"type": "string"}, "The revision, in quotes; of an artifact its SHA-256."),
    "Location": ({"type": "string"}, "Where the process is."),
    "Idempotent-Replayed": ({"type": "string"}, "`true` when this was recorded before."),
}
