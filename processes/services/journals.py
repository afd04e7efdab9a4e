"""The journal file of a process, read a page at a time: no transaction is held while it is
sent, and no more than a page of it is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from processes.journal.record import ProcessTurn
from processes.journal.writing import pieces
from processes.models import Process, Step, Turn
from processes.services.actors import Actor
from processes.store import rows

PAGE = 500


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


def steps_of(process_id: str, last: int) -> Iterator[Step]:
    """Steps 1 to `last`; each page is a query of its own."""
    after = 0
    while page := list(Step.objects.of(process_id).after(after).filter(seq__lte=last)[:PAGE]):
        yield from page
        after = page[-1].seq
