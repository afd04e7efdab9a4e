"""What another app keeps beside the journal: a locked process, one event for each of its
writes, and the log it reads. It never changes a head.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dalhc.db import sql
from processes.journal import errors, fence, rules
from processes.journal.record import TERMINAL
from processes.services.actors import Actor
from processes.services.verb import tell
from processes.store import rows
from processes.store.log import Spelled, canonical

__all__ = [
    "Spelled", "canonical_text", "check_epoch", "event_data", "events", "find_row", "has_ended",
    "is_leased", "journal_seq", "lock_row", "next_revision", "note", "place", "processes_with",
    "seq_of_last",
]  # fmt: skip

_JOURNAL = ", ".join(f"'{kind}'" for kind in rows.JOURNAL)

_LAST = (
    f"SELECT seq, at_ms FROM processes_event WHERE process_id = %s AND kind IN ({_JOURNAL}) "
    "ORDER BY seq DESC LIMIT 1"
)
_BACK = (
    "SELECT seq FROM processes_event WHERE process_id = %s AND kind = %s "
    "ORDER BY seq DESC LIMIT 1 OFFSET %s"
)
DATA = "SELECT data FROM processes_event WHERE process_id = %s AND seq = %s"


def lock_row(process_id: str, agent: str | None, expected: int | None = None) -> rows.Row:
    """The process, locked, with its next revision taken. Raises ProcessNotFound, UnknownState,
    and PreconditionFailed when `expected`, of an If-Match, is another revision.
    """
    return rows.lock(process_id, _Of(agent, expected))


def find_row(process_id: str, agent: str | None) -> rows.Row | None:
    """The process as it stands, or None."""
    try:
        return rows.read(process_id, _Of(agent))
    except errors.ProcessNotFound:
        return None


def note(
    row: rows.Row, kind: str, data: dict[str, Any], by: Actor, at_ms: int, **host: Any
) -> int:
    """One event, and columns of the lease, in the caller's transaction; the event's seq."""
    seq = row.host.revision
    rows.keep(row, rules.Change(row.head), kind, str(by), data, at_ms, **host)
    tell(row.head.id)
    return seq


def next_revision(row: rows.Row) -> None:
    """Another event follows in the same transaction."""
    row.host.revision += 1


def is_leased(row: rows.Row, at_ms: int) -> bool:
    """Whether a runtime holds the run and its lease lives."""
    until = row.host.lease_until_ms
    return row.host.lease_owner is not None and until is not None and fence.lives(until, at_ms)


def check_epoch(row: rows.Row, epoch: int | None) -> None:
    """Raises Fenced for an epoch that another claim has overtaken."""
    fence.check(row.host.lease_epoch, epoch)


def has_ended(row: rows.Row) -> bool:
    return row.head.state in TERMINAL


def place(row: rows.Row) -> int | None:
    """The seq of the last journal event, as the row has it: who wakes often and writes nothing
    has a long log behind that event. None for a process without a log.
    """
    known = row.host.journal_seq
    return journal_seq(row.head.id) if known is None else known


def journal_seq(process_id: str) -> int | None:
    """The same, from the log itself."""
    found = sql.one(_LAST, (process_id,))
    return None if found is None else int(found[0])


def event_data(process_id: str, seq: int) -> str | None:
    """What one event says, canonical text."""
    found = sql.one(DATA, (process_id, seq))
    return None if found is None else str(found[0])


def seq_of_last(process_id: str, kind: str, back: int) -> int:
    """The seq of the event of this kind that is `back`th from the end; 0 when there are fewer.
    Reads no data.
    """
    found = sql.one(_BACK, (process_id, kind, back - 1))
    return 0 if found is None else int(found[0])


def events(
    process_id: str, kinds: tuple[str, ...], since: int = 0
) -> Iterator[tuple[int, str, dict[str, Any], int]]:
    """(seq, kind, data, at_ms) of these kinds, in order, from that seq on."""
    marks = ", ".join(["%s"] * len(kinds))
    statement = (
        "SELECT seq, kind, data, at_ms FROM processes_event "
        f"WHERE process_id = %s AND seq >= %s AND kind IN ({marks}) ORDER BY seq"
    )
    for seq, kind, data, at_ms in sql.rows(statement, (process_id, since, *kinds)):
        yield seq, kind, json.loads(data), at_ms


def processes_with(kind: str) -> list[str]:
    """Every process whose log has such an event. Reads the whole log: for commands."""
    statement = (
        "SELECT DISTINCT process_id FROM processes_event WHERE kind = %s ORDER BY process_id"
    )
    return [process_id for (process_id,) in sql.rows(statement, (kind,))]


def canonical_text(data: dict[str, Any]) -> str:
    """One spelling per value, as events keep it."""
    return canonical(data)


class _Of:
    """Whose process is meant, and the revision an If-Match named."""

    def __init__(self, agent: str | None, expected: int | None = None) -> None:
        self.agent, self.expected = agent, expected
