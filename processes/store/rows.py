"""One process locked for writing, and the one way to keep what became of it.

On SQLite a write owns the whole file from its BEGIN IMMEDIATE, so reading the row is enough; on
PostgreSQL the read takes the row's lock. Nothing is written before the rules have agreed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dalhc.db import sql
from processes.journal.errors import OwnedByFiles, PreconditionFailed, ProcessNotFound
from processes.journal.limits import SCHEMA_VERSION
from processes.journal.record import METADATA, ProcessHead, Reason, State
from processes.journal.rules import Change, require_known
from processes.store import trace
from processes.store.log import GENESIS, canonical, event_hash

HEAD = (
    "id", "objective", "state", "suspend_reason", "question", "principal_answer", "steps_used",
    *METADATA, "created_at_ms", "updated_at_ms",
)  # fmt: skip
HOST = (
    "agent", "origin", "opened_with", "outcome", "revision", "chain", "stored_steps",
    "stored_turns", "turns_dropped", "denials", "suspension_id", "unused_id", "decided", "held",
    "lease_epoch", "lease_owner", "lease_until_ms", "journal_seq",
)  # fmt: skip
# What the journal itself says; everything else is said beside it (architecture §3.4).
JOURNAL = ("open", "import", "step", "suspend", "resume", "finish")
_COLUMNS = ", ".join((*HEAD, *HOST))
_WIDTH = len(HEAD)
_FIELDS = ("schema_version", *HEAD)  # in the order of the journal file (contract F18)
_SELECT = "SELECT " + _COLUMNS + " FROM processes_process"


@dataclass(slots=True)
class Host:
    """What stands beside the record on a process row."""

    agent: str
    origin: str
    opened_with: str
    outcome: str | None
    revision: int
    chain: str
    stored_steps: int
    stored_turns: int
    turns_dropped: int
    denials: int
    suspension_id: str | None
    unused_id: str | None
    decided: bool
    held: bool
    lease_epoch: int
    lease_owner: str | None
    lease_until_ms: int | None
    journal_seq: int | None


@dataclass(slots=True)
class Row:
    """A head with its host's columns; inside `lock` the revision is already the next event's
    seq.
    """

    head: ProcessHead
    host: Host


class Caller(Protocol):
    """Whose processes these are (None: everyone's), and the revision an If-Match named."""

    @property
    def agent(self) -> str | None: ...
    @property
    def expected(self) -> int | None: ...


def read(process_id: str, by: Caller) -> Row:
    """The row as it stands. Raises ProcessNotFound, also for another agent's process (T18)."""
    return _one(process_id, by.agent)


def read_any(process_id: str) -> Row:
    """The row, whoever's it is."""
    return _one(process_id, None)


def lock(process_id: str, by: Caller) -> Row:
    """The row, with its next revision taken. Nothing else can write it until this transaction
    ends.

    Raises ProcessNotFound, UnknownState, OwnedByFiles, and PreconditionFailed when an If-Match
    named another revision.
    """
    row = _locked(process_id, by.agent)
    require_api(row, by)
    require_revision(row, by)
    return row


def require_api(row: Row, by: Caller) -> None:
    """Raise OwnedByFiles when a runtime writes over the API what its file owns."""
    if by.agent is not None and row.host.origin == "files":
        raise OwnedByFiles


def lock_unasked(process_id: str) -> Row:
    """As `lock`, for a caller who checks its precondition itself, later."""
    return _locked(process_id, None)


def moved(seen: Row, locked: Row) -> bool:
    """Whether somebody wrote between an unlocked reading and the lock; on SQLite nobody can."""
    return locked.host.revision - 1 != seen.host.revision


def require_revision(row: Row, by: Caller) -> None:
    """If-Match, on a locked row."""
    seen = row.host.revision - 1
    if by.expected is not None and by.expected != seen:
        raise PreconditionFailed(current={"state": row.head.state, "revision": seen})


def _locked(process_id: str, agent: str | None) -> Row:
    row = _one(process_id, agent, sql.for_update())
    require_known(row.head)
    row.host.revision += 1
    return row


def _one(process_id: str, agent: str | None, tail: str = "") -> Row:
    mine = "" if agent is None else " AND agent = %s"
    params = (process_id,) if agent is None else (process_id, agent)
    values = sql.one(f"{_SELECT} WHERE id = %s{mine}{tail}", params)
    if values is None:
        raise ProcessNotFound
    return Row(_head(values[:_WIDTH]), _host(values[_WIDTH:]))


def _head(values: tuple[Any, ...]) -> ProcessHead:
    """Built without validation: the row is ours. A state we do not know stays text, and rules
    refuse it.
    """
    fields = dict(zip(_FIELDS, (SCHEMA_VERSION, *values), strict=True))
    fields["state"] = State._value2member_map_.get(fields["state"], fields["state"])
    if fields["suspend_reason"] is not None:
        fields["suspend_reason"] = Reason(fields["suspend_reason"])
    head = ProcessHead.__new__(ProcessHead)
    for name, value in (("__dict__", fields), *_FRESH):
        object.__setattr__(head, name, value)
    return head


# What pydantic keeps beside the fields; model_construct would look up every default to get
# here.
_FRESH = (
    ("__pydantic_fields_set__", set(HEAD)),
    ("__pydantic_extra__", None),
    ("__pydantic_private__", None),
)


def _host(values: tuple[Any, ...]) -> Host:
    host = Host(*values)
    host.decided, host.held = bool(host.decided), bool(host.held)
    return host


def keep(
    row: Row,
    change: Change,
    kind: str,
    actor: str,
    data: dict[str, Any],
    at_ms: int,
    **host: Any,
) -> None:
    """Write the changed head, the host's columns and exactly one event, in the caller's
    transaction.
    """
    if kind in JOURNAL:
        host["journal_seq"] = row.host.revision
    for name, value in host.items():
        setattr(row.host, name, value)
    columns = dict(_changed(row.head, change.head))
    columns |= host
    columns["chain"] = add_event(row, kind, actor, data, at_ms)
    columns["revision"] = row.host.revision
    row.head = change.head
    write_columns(row.head.id, columns)


def _changed(old: ProcessHead, new: ProcessHead) -> list[tuple[str, Any]]:
    if old is new:
        return []
    pairs = ((name, getattr(new, name)) for name in HEAD)
    return [(name, value) for name, value in pairs if value != getattr(old, name)]


def add_event(row: Row, kind: str, actor: str, data: dict[str, Any], at_ms: int) -> str:
    """Append the event at `row.host.revision`; returns its hash, which the caller keeps on the
    row.
    """
    host, process_id, text = row.host, row.head.id, canonical(trace.on(data))
    prev = host.chain
    host.chain = event_hash(prev, process_id, host.revision, kind, actor, at_ms, text)
    sql.run(EVENT, (process_id, host.revision, kind, actor, at_ms, text, prev, host.chain))
    return host.chain


EVENT = (
    "INSERT INTO processes_event (process_id, seq, kind, actor, at_ms, data, prev_hash, hash) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)


def write_columns(process_id: str, columns: dict[str, Any]) -> None:
    """Columns of one process, by name."""
    names = ", ".join(f"{name} = %s" for name in columns)
    statement = f"UPDATE processes_process SET {names} WHERE id = %s"
    sql.run(statement, (*columns.values(), process_id))


def update_host(row: Row, **columns: Any) -> None:
    """Host columns alone, without an event: heartbeats and the like."""
    for name, value in columns.items():
        setattr(row.host, name, value)
    write_columns(row.head.id, columns)


FIRST_CHAIN = GENESIS


def renew_lease(process_id: str, epoch: int, until_ms: int) -> bool:
    """A compare-and-set on the epoch; no event, no revision."""
    changed = sql.run(
        "UPDATE processes_process SET lease_until_ms = %s "
        "WHERE id = %s AND lease_epoch = %s AND lease_owner IS NOT NULL",
        (until_ms, process_id, epoch),
    )
    return changed == 1
