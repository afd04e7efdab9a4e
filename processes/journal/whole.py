"""A whole journal in memory, and the one way to turn it into the text of its file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from processes.journal import errors, files, limits, rules
from processes.journal.record import ProcessHead, ProcessRecord, ProcessStep, ProcessTurn
from processes.journal.steps import is_success_repeated
from processes.journal.writing import Extra


@dataclass(frozen=True, slots=True)
class Whole:
    """A record with the keys of its file that are not ours; `first_turn` counts the dropped."""

    record: ProcessRecord
    extra: Extra = field(default_factory=dict)
    first_turn: int = 1

    @property
    def head(self) -> ProcessHead:
        return ProcessHead.model_construct(
            **{name: getattr(self.record, name) for name in ProcessHead.model_fields}
        )

    def moved(self, change: rules.Change, *steps: ProcessStep) -> Whole:
        """After a verb: its head, its turns within their bound (contract R10), its steps."""
        turns = (*self.record.turns, *change.turns)
        dropped = max(0, len(turns) - limits.TURNS) if change.turns else 0
        record = ProcessRecord.model_construct(
            **dict(change.head),
            steps=(*self.record.steps, *steps),
            turns=turns[dropped:],
        )
        return replace(self, record=record, first_turn=self.first_turn + dropped)

    def success(self, key: str) -> ProcessStep | None:
        """The recorded success of this key, if there is one (S0:29)."""
        found = (step for step in self.record.steps if step.success)
        return next((step for step in found if step.idempotency_key == key), None)

    def text(self) -> bytes:
        """The file, as DAL writes it (contract F18)."""
        return files.dump(self.record, self.extra, self.first_turn).encode()


def load(text: bytes) -> Whole:
    """Raises what `files.load` raises, and CorruptRecord for a success recorded twice."""
    record, extra = files.load(text)
    if is_success_repeated(record.steps):
        raise errors.CorruptRecord("Two successful steps have the same key.", pointer="/steps")
    return Whole(record, extra)


def told(head: ProcessHead, note: str, now: int) -> rules.Change:
    """A person's end of a run whose file is its only record: the note becomes a turn."""
    change = rules.stop(head, now)
    return rules.Change(change.head, turns=(ProcessTurn(role="user", content=note),))
