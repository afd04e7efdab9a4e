"""Every artifact of every run, newest first (contract B09)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalhc.db.distinct import ascending
from dalhc.http.problems import InvalidRequest
from processes.journal import limits
from processes.models import Artifact
from processes.models.artifact import EXTENSION_CHARS
from processes.shown.place import Place, cursor

LENGTH, TYPES = 50, 8
NAMES = ("type", "hash", "process")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the page was asked for, each empty when it was not."""

    type: str = ""
    hash: str = ""
    process: str = ""

    @classmethod
    def of(cls, query: Any) -> Filters:
        """Raises InvalidRequest for what cannot be one."""
        kind, digest, process = (query.get(name, "").strip() for name in NAMES)
        found = cls(kind.lower(), digest.lower(), process)
        if len(found.type) > EXTENSION_CHARS or len(found.process) > limits.ID_CHARS:
            raise InvalidRequest("A type or a process has fewer characters.")
        if len(found.hash) not in {0, 64} and not 8 <= len(found.hash) < 64:
            raise InvalidRequest("Of a hash, give at least the first eight signs.")
        return found

    @property
    def query(self) -> dict[str, str]:
        """As they stand in an address."""
        named = {"type": self.type, "hash": self.hash, "process": self.process}
        return {name: text for name, text in named.items() if text}


@dataclass(frozen=True, slots=True)
class Index:
    """A page of it. `types` are the first few that there are, in their order."""

    rows: list[Artifact]
    types: list[str]
    older: str


def index(filters: Filters, place: Place | None) -> Index:
    rows = Artifact.objects.newest_first().select_related("process")
    if filters.type:
        rows = rows.filter(extension=filters.type)
    if filters.process:
        rows = rows.filter(process_id=filters.process)
    if filters.hash:
        rows = rows.filter(sha256__gte=filters.hash, sha256__lt=filters.hash + "g")
    if place is not None:
        rows = rows.older_than(place.at_ms, place.number)
    found = list(rows[: LENGTH + 1])
    page = found[:LENGTH]
    older = cursor(page[-1].at_ms, str(page[-1].pk)) if len(found) > LENGTH else ""
    types = ascending(Artifact.objects.exclude(extension=""), "extension", TYPES)
    return Index(page, types, older)
