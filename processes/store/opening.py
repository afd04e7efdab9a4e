"""The first row of a process."""

from __future__ import annotations

from typing import Any

from processes.journal.errors import ProcessExists
from processes.journal.record import ProcessHead
from processes.models import Archived, Process
from processes.store.rows import FIRST_CHAIN, Row, add_event, read_any


def require_free(process_id: str) -> None:
    """An archived process keeps its id: its chain is told apart by nothing else. Raises
    ProcessExists.
    """
    if Archived.objects.filter(process_id__lower=process_id.lower()).exists():
        raise ProcessExists("A process of this id was archived.", pointer="/id")


def find(process_id: str) -> Process | None:
    """The process of this id, or its case twin: one file on a disk that ignores case (contract
    O12).
    """
    return Process.objects.filter(id__lower=process_id.lower()).first()


def insert(
    head: ProcessHead, agent: str, kind: str, actor: str, data: dict[str, Any], **host: Any
) -> Row:
    """The process row and its event 0, in the caller's transaction."""
    Process.objects.create(
        **head.model_dump(), agent=agent, chain=FIRST_CHAIN, revision=0, **host
    )
    row = read_any(head.id)
    Process.objects.filter(id=head.id).update(
        chain=add_event(row, kind, actor, data, head.updated_at_ms)
    )
    return row
