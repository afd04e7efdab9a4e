"""The journal file of a process, read a page at a time: no transaction is held while it is
sent, and no more than a page of it is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from processes.journal.record import ProcessTurn
from processes.journal.writing import pieces
from processes.models import Event, Process, Step, Turn
from processes.services.actors import Actor
from processes.store import rows

PAGE = 1_000


def journal(process_id: str, *, by: Actor) -> Iterator[str]:
    """The journal exactly as DAL writes it, unknown keys included (contract R22, F18), as it
    stands now: steps taken while it is read are not in it.

    Raises ProcessNotFound before the first piece.
    """
    row = rows.read(process_id, by)
    extra = Process.objects.values_list("extra", flat=True).get(id=process_id)
    turns = list(Turn.objects.filter(process_id=process_id).order_by("seq"))
    return pieces(
        row.head,
        steps_of(process_id, row.host.stored_steps),
        [ProcessTurn.model_validate(turn) for turn in turns],
        json.loads(extra),
        turns[0].seq if turns else 1,
    )


def journal_text(process_id: str, by: Actor) -> str:
    """The same in one text, for the short ones."""
    return "".join(journal(process_id, by=by))


class KeptStep(NamedTuple):
    """A stored step, read for a file: of ten thousand, models cost more than their rows."""

    seq: int
    tool: str
    args: str
    success: bool
    result_digest: str
    artifacts_json: str
    idempotency_key: str
    at_ms: int

    @property
    def artifacts(self) -> tuple[str, ...]:
        return () if self.artifacts_json == "[]" else tuple(json.loads(self.artifacts_json))


def steps_of(process_id: str, last: int) -> Iterator[KeptStep]:
    """Steps 1 to `last`; each page is a query of its own."""
    yield from map(KeptStep._make, columns_of(Step, process_id, KeptStep._fields, 0, last))


def columns_of(
    model: type[Step | Event], process_id: str, names: tuple[str, ...], first: int, last: int
) -> Iterator[tuple[Any, ...]]:
    """Columns of the rows from seq `first` to `last`, in order; the first column is seq."""
    rows = model.objects.filter(process_id=process_id, seq__lte=last).order_by("seq")
    while page := list(rows.filter(seq__gte=first).values_list(*names)[:PAGE]):
        yield from page
        first = page[-1][0] + 1
