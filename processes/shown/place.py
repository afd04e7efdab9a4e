"""A place in a long list: `?after=` or `?before=` a row named by its time and its id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from dalhc.http.problems import BadCursor

_DIGITS = 18
_PLACE = re.compile(r"([0-9]{1,16})\.([A-Za-z0-9._-]{1,80})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Place:
    """`is_backwards` when the page ends before this row, else it begins after it."""

    at_ms: int
    id: str
    is_backwards: bool = False

    @property
    def number(self) -> int:
        """The id of a row that is numbered. Raises BadCursor."""
        if not self.id.isdecimal() or len(self.id) > _DIGITS:
            raise BadCursor
        return int(self.id)

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self | None:
        """The place a query names, None for the beginning. Raises BadCursor."""
        for name, is_backwards in (("after", False), ("before", True)):
            if text := query.get(name):
                found = _PLACE.fullmatch(text)
                if found is None:
                    raise BadCursor
                return cls(int(found[1]), found[2], is_backwards)
        return None


def cursor(at_ms: int, id: str) -> str:
    return f"{at_ms}.{id}"
