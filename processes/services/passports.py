"""A passport: everything kept of one process, in parts that a file can carry and a verification
can read again. Its parts are lines of JSON; the page around them is for people.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from dalhc.clock import now_ms
from dalhc.db.refusals import Busy
from processes.journal.errors import ProcessNotFound
from processes.journal.record import ProcessHead, ProcessTurn
from processes.journal.writing import pieces
from processes.models import Artifact, Decision, Event, Process, Step, Suspension, Turn, Vote
from processes.services.actors import Actor, Forbidden, require
from processes.services.journals import KeptStep, columns_of, steps_of

VERSION = 1
PARTS = (
    "head", "journal", "steps", "turns", "suspensions", "votes", "decisions", "artifacts",
    "events",
)  # fmt: skip
_TRIES = 20
_STEP = (
    "seq", "at_ms", "attempt_id", "effect", "digest_clipped", "artifacts_dropped",
    "lease_epoch", "skips",
)  # fmt: skip
_EVENT = ("seq", "kind", "actor", "at_ms", "data", "prev_hash", "hash")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a process. Steps and events are read later, page by page, up to it."""

    process: Process
    made_at_ms: int
    turns: list[Turn]
    stops: list[Suspension]
    votes: list[Vote]  # of what is decided: until then the second person must not see them
    decisions: list[Decision]
    artifacts: list[Artifact]

    def steps(self) -> Iterator[KeptStep]:
        return steps_of(self.process.id, self.process.stored_steps)

    def parts(self) -> Iterator[tuple[str, Iterator[str]]]:
        """Each part's name and its lines."""
        yield "head", iter([_line(self._head())])
        yield "journal", self._journal()
        yield "steps", self._columns(Step, _STEP, 1, self.process.stored_steps)
        yield "turns", map(_line, map(_columns, self.turns))
        yield "suspensions", map(_line, map(_columns, self.stops))
        yield "votes", map(_line, map(_columns, self.votes))
        yield "decisions", map(_line, map(_columns, self.decisions))
        yield "artifacts", map(_line, map(_columns, self.artifacts))
        yield "events", self._columns(Event, _EVENT, 0, self.process.revision)

    def _head(self) -> dict[str, Any]:
        return {
            "dalhc": "passport",
            "version": VERSION,
            "made_at_ms": self.made_at_ms,
            "process": _columns(self.process),
        }

    def _columns(
        self, model: type[Step | Event], names: tuple[str, ...], first: int, last: int
    ) -> Iterator[str]:
        for row in columns_of(model, self.process.id, names, first, last):
            yield _line(dict(zip(names, row, strict=True)))

    def _journal(self) -> Iterator[str]:
        told = [ProcessTurn.model_validate(turn) for turn in self.turns]
        extra = json.loads(self.process.extra)
        first = self.turns[0].seq if self.turns else 1
        head = ProcessHead.model_validate(self.process)
        return pieces(head, self.steps(), told, extra, first)


def passport(process_id: str, *, by: Actor) -> Snapshot:
    """For people: it holds decisions that a runtime has not picked up. Raises ProcessNotFound,
    Busy.
    """
    require(by, "read")
    if by.agent is not None:
        raise Forbidden("A passport is for people; a runtime downloads the journal.")
    return snapshot_of(process_id)


def snapshot_of(process_id: str) -> Snapshot:
    """Read again until nothing was written between: no transaction is held for it."""
    for _ in range(_TRIES):
        found = _read(process_id)
        if _process(process_id).revision == found.process.revision:
            return found
    raise Busy("The process changes too quickly to be written down; try again.")


def _read(process_id: str) -> Snapshot:
    process = _process(process_id)  # first: whatever changes after it is seen to have changed
    return Snapshot(
        process,
        now_ms(),
        list(Turn.objects.filter(process_id=process_id).order_by("seq")),
        list(Suspension.objects.of(process_id).oldest_first()),
        list(_votes(process_id)),
        list(_decisions(process_id)),
        list(Artifact.objects.filter(process_id=process_id).order_by("path")),
    )


def _votes(process_id: str) -> QuerySet[Vote]:
    rows = Vote.objects.filter(suspension__process_id=process_id)
    return rows.exclude(suspension__status="open").order_by("at_ms", "id")


def _decisions(process_id: str) -> QuerySet[Decision]:
    return Decision.objects.filter(suspension__process_id=process_id).order_by("at_ms", "id")


def _process(process_id: str) -> Process:
    found = Process.objects.filter(id=process_id).first()
    if found is None:
        raise ProcessNotFound
    return found


def _columns(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def _line(said: dict[str, Any]) -> str:
    return _encode(said) + "\n"


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
