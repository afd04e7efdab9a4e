"""The log across all processes: who did what, newest first, filtered without a walk over it."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

from dalhc.http.problems import InvalidRequest
from processes.journal import limits
from processes.models import Event
from processes.models.event import EventQuery
from processes.services.verifying import event_holds
from processes.shown import reasons, times
from processes.shown.place import Place, cursor
from processes.shown.words import name_of

LENGTH = 50
GROUPS = {
    "decisions": ("Decisions", ("decide", "vote", "expire", "take_back", "ack", "nack")),
    "stops": ("Stops", ("suspend", "resume", "ran_other")),
    "people": ("Who is on it", ("claim", "take_over", "reassign", "snooze")),
    "ends": ("Opened and ended", ("open", "import", "finish")),
    "artifacts": ("Artifacts", ("artifact",)),
    "leases": ("Leases", ("lease", "release")),
}
KINDS_OF_ACTOR = ("principal", "runtime", "system")
WORDS = {
    "open": "opened it",
    "import": "took in its file",
    "step": "took a step",
    "resume": "resumed it",
    "decide": "decided",
    "take_back": "took the decision back",
    "ack": "used the decision",
    "nack": "could not use the decision",
    "vote": "approved, the first of two",
    "expire": "found no answer in time",
    "ran_other": "ran something other than what was approved",
    "claim": "took it on",
    "take_over": "took it over",
    "reassign": "passed it on",
    "snooze": "put it off",
    "lease": "took the lease",
    "release": "gave the lease back",
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the page was asked for, each empty when it was not."""

    group: str = ""
    who: str = ""
    process: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, query: Any) -> Filters:
        """Raises InvalidRequest for an odd day or a word that is too long."""
        group = query.get("kind", "")
        found = cls(
            group if group in GROUPS else "",
            *(query.get(name, "").strip() for name in ("who", "process", "since", "until")),
        )
        if any(len(text) > limits.NAME_CHARS for text in found.words):
            raise InvalidRequest(f"A filter has at most {limits.NAME_CHARS} characters.")
        _day(found.since), _day(found.until)
        return found

    @property
    def words(self) -> tuple[str, ...]:
        return (self.who, self.process, self.since, self.until)

    @property
    def query(self) -> dict[str, str]:
        """As they stand in an address, without the group."""
        named = zip(("who", "process", "since", "until"), self.words, strict=True)
        return {name: text for name, text in named if text}


@dataclass(frozen=True, slots=True)
class Line:
    """One event in words. `holds` is its hash computed anew."""

    event: Event
    who: str
    what: str
    process_id: str
    objective: str
    data: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """A page of it; `older` is where the next begins."""

    lines: list[Line]
    older: str


def audit(filters: Filters, place: Place | None) -> Audit:
    rows = _of_process(filters, place) if filters.process else _of_all(filters, place)
    found = list(islice(rows, LENGTH + 1))
    older = ""
    if len(found) > LENGTH:
        last = found[LENGTH - 1]
        older = cursor(last.seq if filters.process else last.at_ms, str(last.pk))
    return Audit([_line(event) for event in found[:LENGTH]], older)


def _of_process(filters: Filters, place: Place | None) -> Iterator[Event]:
    """All of one process's, its steps too."""
    rows = _within(Event.objects.of(filters.process), filters).order_by("-seq")
    if place is not None:
        rows = rows.filter(seq__lt=place.at_ms)
    kinds = GROUPS[filters.group][1] if filters.group else None
    rows = rows.filter(kind__in=kinds) if kinds else rows
    if filters.who:
        rows = rows.filter(actor__in=_actors(filters.who))
    yield from rows.select_related("process")[: LENGTH + 1]


def _of_all(filters: Filters, place: Place | None) -> Iterator[Event]:
    """Merged from one short read per kind and actor: each has its own index."""
    rows = _within(Event.objects.apart_from_steps(), filters).newest_first()
    if place is not None:
        rows = rows.older_than(place.at_ms, place.number)
    parts = (
        [rows.filter(actor=actor) for actor in _actors(filters.who)] if filters.who else [rows]
    )
    if filters.group:
        kinds = GROUPS[filters.group][1]
        parts = [part.filter(kind=kind) for part in parts for kind in kinds]
    pages = (part.select_related("process")[: LENGTH + 1] for part in parts)
    return heapq.merge(*pages, key=lambda event: (event.at_ms, event.pk), reverse=True)


def _within(rows: EventQuery, filters: Filters) -> EventQuery:
    if (begin := _day(filters.since)) is not None:
        rows = rows.filter(at_ms__gte=begin)
    if (end := _day(filters.until)) is not None:
        rows = rows.filter(at_ms__lt=end + times.DAY)
    return rows


def _actors(who: str) -> list[str]:
    return [who] if ":" in who else [f"{kind}:{who}" for kind in KINDS_OF_ACTOR]


def _day(text: str) -> int | None:
    """The first millisecond of a day in UTC."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
        moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        raise InvalidRequest("A day is written as in 2026-11-29.") from None
    return int(moment.timestamp() * 1000)


def _line(event: Event) -> Line:
    process = event.process
    return Line(
        event,
        name_of(event.actor),
        _what(event),
        process.id,
        process.objective,
        event.data,
        event_holds(event),
    )


def _what(event: Event) -> str:
    data = json.loads(event.data)
    match event.kind:
        case "suspend":
            return f"stopped: {reasons.name(str(data.get('reason', '')))}"
        case "finish":
            return "completed it" if data.get("state") == "completed" else "ended it"
        case "artifact":
            return f"left {data.get('path', '')}"
        case "step":
            return f"took step {data.get('step', '')}"
        case kind:
            return WORDS.get(kind, kind.replace("_", " "))
