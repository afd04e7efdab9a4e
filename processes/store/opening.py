"""The first row of a process."""

from __future__ import annotations

from typing import Any

from dalhc.db import sql
from processes.journal.errors import ProcessExists
from processes.journal.record import ProcessHead
from processes.models import Process
from processes.store import raw
from processes.store.rows import FIRST_CHAIN, Row, add_event, read_any, write_columns

_ARCHIVED = "SELECT 1 FROM processes_archived WHERE LOWER(process_id) = %s"


_FIRST = {"revision": 0, "journal_seq": 0}


def require_free(process_id: str) -> None:
    """An archived process keeps its id: its chain is told apart by nothing else. Raises
    ProcessExists.
    """
    if sql.one(_ARCHIVED, (process_id.lower(),)):
        raise ProcessExists("A process of this id was archived.", pointer="/id")


def find(process_id: str) -> Process | None:
    """The process of this id, or its case twin: one file on a disk that ignores case (contract
    O12).
    """
    return raw.first(Process, "WHERE LOWER(t.id) = %s", process_id.lower())


def insert(
    head: ProcessHead, agent: str, kind: str, actor: str, data: dict[str, Any], **host: Any
) -> Row:
    """The process row and its event 0, in the caller's transaction. Raises ProcessExists."""
    require_free(head.id)
    raw.insert(Process(**dict(head), agent=agent, chain=FIRST_CHAIN, **_FIRST, **host))
    row = read_any(head.id)
    chain = add_event(row, kind, actor, data, head.updated_at_ms)
    write_columns(head.id, {"chain": chain})
    return row
