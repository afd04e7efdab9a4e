"""What a person says about who looks at a stop, and when."""

from __future__ import annotations

from processes.journal.commands import Command
from processes.journal.timing import Assignees, Moment


class Claim(Command):
    """`take_over` takes it from whoever holds it; both names stay in the log."""

    take_over: bool = False


class Reassign(Command):
    """People by name, groups as `group:finance`; an empty list is for everyone."""

    assignees: Assignees


class Snooze(Command):
    """Out of the list until a moment; null brings it back at once."""

    until: Moment | None
