"""The inbox: what waits for a person, expiring first, then the oldest; counted by reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection
from django.utils.safestring import SafeString

from dalhc.db import sql
from processes.models.suspension import SuspensionQuery
from processes.shown import attention, reasons, rows
from processes.shown.filters import Filters
from processes.shown.place import Place, cursor

LENGTH = 50
MOST = 999  # counts above it read 999+
_COLUMNS = (
    "id", "rank", "opened_at_ms", "reason", "question", "detail", "proposed_tool", "process_id",
    "process__objective", "process__agent", "process__steps_used", "process__cycle_phase",
    "process__cycle_id", "process__origin", "holder", "on_timeout", "expires_at_ms",
    "due_at_ms",
)  # fmt: skip
# MIN, not the first in order: when nearly all wait, SQLite would rather sort the whole table.
_OLDEST = (
    "SELECT MIN(opened_at_ms) FROM processes_suspension "
    "WHERE status = 'open' AND snoozed_until_ms IS NULL"
)

type Sql = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many wait, by reason (bounded), the newest suspension there is, and since when the
    oldest waits.
    """

    counts: dict[str, int]
    newest: str
    oldest: int

    def of(self, reason: str) -> int:
        return self.counts[reason] if reason else sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Inbox:
    """One page of the inbox. `marker` changes when anything of it does."""

    filters: Filters
    rows: SafeString
    tally: Tally
    marker: str
    oldest_wait: int
    older: str
    newer: str
    place: Place | None

    @property
    def reason(self) -> str:
        return self.filters.reason

    @property
    def reasons(self) -> list[tuple[str, str, str, str, bool]]:
        """Reason, query, name, count, whether it is this page's."""
        return by_reason(self.tally, self.filters)

    @property
    def count(self) -> str:
        return bounded(self.tally.of(self.reason))


def page(filters: Filters, place: Place | None, now: int) -> Inbox:
    """One page, in two queries."""
    tally, marker = count(filters, place)
    found, has_older, has_newer = _found(filters, place)
    first, last = (found[0], found[-1]) if found else (None, None)
    return Inbox(
        filters=filters,
        rows=rows.html(_row(values, now, filters.reader) for values in found),
        tally=tally,
        marker=marker,
        oldest_wait=max(0, now - tally.oldest) if tally.oldest and found else 0,
        older=cursor(first[1], first[0]) if first and has_older else "",
        newer=cursor(last[1], last[0]) if last and has_newer else "",
        place=place,
    )


def count(filters: Filters, place: Place | None) -> tuple[Tally, str]:
    """The counts and the marker of a page, in one query."""
    counts = _plain_counts() if filters.is_plain else _counts(filters)
    is_first = place is None and filters.is_plain
    listed = _first(filters.reason) if is_first else _listed(filters, place)
    oldest = _OLDEST if is_first and not filters.reason else "SELECT 0"
    statement = (
        f"SELECT {counts[0]}, (SELECT SUM(rank) FROM ({listed[0]}) AS n), "
        f"(SELECT MAX(id) FROM processes_suspension), ({oldest})"
    )
    with connection.cursor() as sheet:
        sheet.execute(statement, (*counts[1], *listed[1]))
        *numbers, total, newest, since = sheet.fetchone()
    found = {str(each): number for each, number in zip(reasons.ORDER, numbers, strict=True)}
    tally = Tally(found, newest or "", since or 0)
    return tally, "-".join(map(str, (*numbers, total or 0)))


def by_reason(tally: Tally, filters: Filters) -> list[tuple[str, str, str, str, bool]]:
    """Reason, query, name, count, whether it is the page's."""
    names = {"": "Everything", **{str(each): reasons.FILTERS[each] for each in reasons.ORDER}}
    return [
        (
            each,
            filters.with_reason(each).query,
            name,
            bounded(tally.of(each)),
            each == filters.reason,
        )
        for each, name in names.items()
    ]


def bounded(number: int) -> str:
    return str(number) if number <= MOST else f"{MOST}+"


def ask_of(question: str | None, detail: str | None, tool: str | None, reason: str) -> str:
    """What it asks, in the best words there are."""
    if said := question or detail:
        return said
    return f"Wants to run {tool}." if tool else f"{reasons.name(reason)}, without a word."


def here(filters: Filters, place: Place | None) -> SuspensionQuery:
    """What waits from this place on, in the direction of the page."""
    found = filters.rows()
    if place is None:
        return found.in_order()
    if place.is_backwards:
        return found.ranked_before(place.at_ms, place.id).backwards()
    return found.ranked_after(place.at_ms, place.id).in_order()


def _found(filters: Filters, place: Place | None) -> tuple[list[tuple[Any, ...]], bool, bool]:
    """The rows of a page, and whether there are older and newer ones."""
    if place is None and filters.is_plain:
        found = list(sql.rows(*_first_page(filters.reason)))
    else:
        found = list(_columns(filters, place))
    has_more, found = len(found) > LENGTH, found[:LENGTH]
    if place is not None and place.is_backwards:
        return found[::-1], has_more, True
    return found, place is not None, has_more


def _columns(filters: Filters, place: Place | None) -> Any:
    return here(filters, place).values_list(*_COLUMNS)[: LENGTH + 1]


@cache
def _first_page(reason: str) -> Sql:
    """The page everyone opens; its text is made once."""
    return _sql(_columns(Filters(reason), None))


@cache
def _plain_counts() -> Sql:
    """Their text is always the same, so it is made once."""
    return _counts(Filters())


def _counts(filters: Filters) -> Sql:
    """One bounded count per reason."""
    asked = [filters.with_reason(each).rows() for each in reasons.ORDER]
    parts = [_sql(rows.order_by().values("pk")[: MOST + 1]) for rows in asked]
    selects = [f"(SELECT COUNT(*) FROM ({sql}) AS n)" for sql, _ in parts]
    return ", ".join(selects), [value for _, values in parts for value in values]


@cache
def _first(reason: str) -> Sql:
    """The first page of a list, for its marker; made once."""
    return _listed(Filters(reason), None)


def _listed(filters: Filters, place: Place | None) -> Sql:
    return _sql(here(filters, place).values("rank")[:LENGTH])


def _sql(found: Any) -> Sql:
    made: Sql = found.query.sql_with_params()
    return made


def _row(values: tuple[Any, ...], now: int, reader: str) -> SafeString:
    _, _, at_ms, reason, question, detail, tool, process_id, objective, *rest = values
    holder, on_timeout, expires_at, due_at = rest[5:]
    ask, late = ask_of(question, detail, tool, reason), attention.is_late(at_ms, due_at, now)
    url, meta = rows.address(process_id), rows.meta(*rest[:5])
    said = attention.in_a_row(holder, reader, reason, on_timeout, expires_at, due_at, now)
    return rows.row(url, reason, ask, objective, meta, at_ms, now, late, said)
