"""Turns on disk: 200 of them, the oldest dropped and counted (contract §4, R10)."""

from __future__ import annotations

from collections.abc import Sequence

from processes.journal import limits
from processes.journal.record import ProcessTurn
from processes.models import Turn
from processes.store.rows import Row


def add(
    row: Row, turns: Sequence[ProcessTurn], at_ms: int, suspension_id: str | None, by: str
) -> dict[str, int]:
    """Insert the turns and drop the oldest past the bound; returns the host columns that
    changed.
    """
    first = row.host.stored_turns + 1
    Turn.objects.bulk_create(
        Turn(
            process_id=row.head.id,
            seq=seq,
            role=turn.role,
            content=turn.content,
            by=by if turn.role == "user" else "",
            suspension_id=suspension_id,
            after_step=row.host.stored_steps,
            at_ms=at_ms,
        )
        for seq, turn in enumerate(turns, first)
    )
    stored = row.host.stored_turns + len(turns)
    dropped = max(0, stored - limits.TURNS)
    if dropped > row.host.turns_dropped:
        Turn.objects.filter(process_id=row.head.id, seq__lte=dropped).delete()
    return {"stored_turns": stored, "turns_dropped": dropped}
