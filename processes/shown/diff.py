"""What an edit changes in a call's arguments, one by one and with their types."""

from __future__ import annotations

from dataclasses import dataclass

from processes.shown.arguments import Argument, table


@dataclass(frozen=True, slots=True)
class Changed:
    """One argument before and after; None where it is not there."""

    name: str
    was: Argument | None
    now: Argument | None

    @property
    def other_kind(self) -> bool:
        """A number that became a text, say: the tool may read it otherwise."""
        return bool(self.was and self.now and self.was.kind != self.now.kind)


def diff(before: str, after: str) -> list[Changed]:
    """What differs, in the order of the first, then what is new. Text that is no JSON object is
    one argument without a name.
    """
    was, now = _named(before), _named(after)
    names = [*was, *(name for name in now if name not in was)]
    pairs = ((name, was.get(name), now.get(name)) for name in names)
    return [Changed(name, old, new) for name, old, new in pairs if old != new]


def _named(args: str) -> dict[str, Argument]:
    rows = table(args)
    whole = [Argument("", args, "text")] if rows is None else rows
    return {row.name: row for row in whole}
