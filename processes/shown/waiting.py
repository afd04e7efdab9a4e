"""The inbox: what waits for a person, the oldest on top, counted by reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection
from django.utils.safestring import SafeString

from processes.models import Suspension
from processes.models.suspension import SuspensionQuery
from processes.shown import reasons, rows, times
from processes.shown.place import Place, cursor

LENGTH = 50
MOST = 999  # counts above it read 999+
_COLUMNS = (
    "id", "opened_at_ms", "reason", "question", "detail", "proposed_tool", "process_id",
    "process__objective", "process__agent", "process__steps_used", "process__cycle_phase",
    "process__cycle_id",
)  # fmt: skip

type Sql = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many wait, by reason (bounded), and the newest suspension there is."""

    counts: dict[str, int]
    newest: str

    def of(self, reason: str) -> int:
        return self.counts[reason] if reason else sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Inbox:
    """One page of the inbox. `marker` changes when anything of it does."""

    reason: str
    rows: SafeString
    tally: Tally
    marker: str
    oldest_wait: int
    older: str
    newer: str
    place: Place | None

    @property
    def filters(self) -> list[tuple[str, str, str, bool]]:
        """Reason, name, count, whether it is this page's."""
        return filters(self.tally, self.reason)

    @property
    def count(self) -> str:
        return bounded(self.tally.of(self.reason))


def waiting(reason: str) -> SuspensionQuery:
    """What the list shows and what the counts count."""
    return Suspension.objects.open().for_reason(reason)


def page(reason: str, place: Place | None, now: int) -> Inbox:
    """One page, in two queries."""
    tally, marker = count(reason, place)
    found, has_older, has_newer = _found(reason, place)
    first, last = (found[0], found[-1]) if found else (None, None)
    return Inbox(
        reason=reason,
        rows=rows.html(_row(values, now) for values in found),
        tally=tally,
        marker=marker,
        oldest_wait=now - first[1] if first else 0,
        older=cursor(first[1], first[0]) if first and has_older else "",
        newer=cursor(last[1], last[0]) if last and has_newer else "",
        place=place,
    )


def count(reason: str, place: Place | None) -> tuple[Tally, str]:
    """The counts and the marker of a page, in one query."""
    counts, listed = _counts(), _first(reason) if place is None else _listed(reason, place)
    statement = (
        f"SELECT {counts[0]}, (SELECT SUM(opened_at_ms) FROM ({listed[0]}) AS n), "
        "(SELECT MAX(id) FROM processes_suspension)"
    )
    with connection.cursor() as sheet:
        sheet.execute(statement, (*counts[1], *listed[1]))
        *numbers, total, newest = sheet.fetchone()
    found = {str(each): number for each, number in zip(reasons.ORDER, numbers, strict=True)}
    return Tally(found, newest or ""), "-".join(map(str, (*numbers, total or 0)))


def filters(tally: Tally, reason: str) -> list[tuple[str, str, str, bool]]:
    every = ("", "Everything", bounded(tally.of("")), not reason)
    return [
        every,
        *(
            (str(each), reasons.FILTERS[each], bounded(tally.of(each)), each == reason)
            for each in reasons.ORDER
        ),
    ]


def bounded(number: int) -> str:
    return str(number) if number <= MOST else f"{MOST}+"


def ask_of(question: str | None, detail: str | None, tool: str | None, reason: str) -> str:
    """What it asks, in the best words there are."""
    if said := question or detail:
        return said
    return f"Wants to run {tool}." if tool else f"{reasons.name(reason)}, without a word."


def here(reason: str, place: Place | None) -> SuspensionQuery:
    """What waits from this place on, in the direction of the page."""
    found = waiting(reason)
    if place is None:
        return found.oldest_first()
    if place.is_backwards:
        return found.longer_waiting_than(place.at_ms, place.id).newest_first()
    return found.shorter_waiting_than(place.at_ms, place.id).oldest_first()


def _found(reason: str, place: Place | None) -> tuple[list[tuple[Any, ...]], bool, bool]:
    """The rows of a page, and whether there are older and newer ones."""
    found = list(here(reason, place).values_list(*_COLUMNS)[: LENGTH + 1])
    has_more, found = len(found) > LENGTH, found[:LENGTH]
    if place is not None and place.is_backwards:
        return found[::-1], has_more, True
    return found, place is not None, has_more


@cache
def _counts() -> Sql:
    """One bounded count per reason. Its text is always the same, so it is made once."""
    parts = [_sql(waiting(each).order_by().values("pk")[: MOST + 1]) for each in reasons.ORDER]
    selects = [f"(SELECT COUNT(*) FROM ({sql}) AS n)" for sql, _ in parts]
    return ", ".join(selects), [value for _, values in parts for value in values]


@cache
def _first(reason: str) -> Sql:
    """The first page of a list, for its marker; made once."""
    return _listed(reason, None)


def _listed(reason: str, place: Place | None) -> Sql:
    return _sql(here(reason, place).values("opened_at_ms")[:LENGTH])


def _sql(found: Any) -> Sql:
    made: Sql = found.query.sql_with_params()
    return made


def _row(values: tuple[Any, ...], now: int) -> SafeString:
    _, at_ms, reason, question, detail, tool, process_id, objective, *rest = values
    ask, late = ask_of(question, detail, tool, reason), now - at_ms >= times.DAY
    url, meta = rows.address(process_id), rows.meta(*rest)
    return rows.row(url, reason, ask, objective, meta, at_ms, now, late)
