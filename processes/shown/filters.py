"""What of the inbox is asked for: all of it is in the address, so that a view can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from processes.journal import limits
from processes.models import Suspension
from processes.models.suspension import SuspensionQuery
from processes.shown import reasons

WHOSE = {"": "All", "mine": "Mine", "free": "Free", "snoozed": "Put off"}


@dataclass(frozen=True, slots=True)
class Filters:
    """An unknown word is no filter. `reader` and `groups` say who is asking."""

    reason: str = ""
    whose: str = ""
    agent: str = ""
    reader: str = ""
    groups: frozenset[str] = frozenset()

    @classmethod
    def of(cls, query: Mapping[str, str], reader: str, groups: frozenset[str]) -> Self:
        reason, whose = query.get("reason", ""), query.get("whose", "")
        return cls(
            reason=reason if reason in set(reasons.ORDER) else "",
            whose=whose if whose in WHOSE else "",
            agent=query.get("agent", "")[: limits.AGENT_CHARS],
            reader=reader,
            groups=groups,
        )

    @property
    def is_plain(self) -> bool:
        """Nothing but perhaps a reason: what everyone's list is."""
        return not (self.whose or self.agent)

    @property
    def query(self) -> str:
        """For an address, without the question mark."""
        parts = {"reason": self.reason, "whose": self.whose, "agent": self.agent}
        return urlencode({name: value for name, value in parts.items() if value})

    @property
    def of_everyone(self) -> str:
        """The query of the same view, of every agent."""
        return replace(self, agent="").query

    def with_reason(self, reason: str) -> Filters:
        return replace(self, reason=reason)

    @property
    def whose_links(self) -> list[tuple[str, str, bool]]:
        """Name, query, whether it is this page's."""
        return [
            (name, replace(self, whose=each).query, each == self.whose)
            for each, name in WHOSE.items()
        ]

    def rows(self) -> SuspensionQuery:
        """What the list shows and what the counts count."""
        asked = Suspension.objects
        found = asked.snoozed() if self.whose == "snoozed" else asked.waiting()
        found = found.for_reason(self.reason)
        if self.agent:
            found = found.filter(agent=self.agent)
        match self.whose:
            case "mine":
                return found.mine(self.reader, sorted(self.groups))
            case "free":
                return found.filter(holder__isnull=True)
            case _:
                return found
