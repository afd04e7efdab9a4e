"""What a poll of the inbox brings: counts, who has gone, and what is new. Never a moved row."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models.functions import Left

from processes.shown import waiting
from processes.shown.filters import Filters
from processes.shown.inert import clip
from processes.shown.place import Place
from processes.shown.rows import address
from processes.shown.waiting import LENGTH, MOST, Tally

NEWS_CHARS = 120


@dataclass(frozen=True, slots=True)
class News:
    """The suspensions that came after the page was shown: how many, and the newest."""

    count: str
    ask: str
    url: str


@dataclass(frozen=True, slots=True)
class Changes:
    """`open` are the addresses of what still waits; any other row of the page has gone."""

    asked: Filters
    tally: Tally
    marker: str
    shown_until: str
    place: Place | None
    open: str
    news: News | None

    @property
    def reasons(self) -> list[tuple[str, str, str, str, bool]]:
        return waiting.by_reason(self.tally, self.asked)

    @property
    def count(self) -> str:
        return waiting.bounded(self.tally.of(self.asked.reason))


def since(
    tally: Tally, marker: str, filters: Filters, place: Place | None, shown_until: str
) -> Changes:
    """Twice the length of a page: a decision taken back may have slid in among its rows."""
    ids = waiting.here(filters, place).values_list("process_id", flat=True)[: 2 * LENGTH]
    urls = " ".join(map(address, ids))
    news = _news(filters, shown_until)
    return Changes(filters, tally, marker, shown_until, place, urls, news)


def _news(filters: Filters, shown_until: str) -> News | None:
    rows = filters.rows().asked_since(shown_until)
    count = rows.order_by().values("pk")[: MOST + 1].count()
    if not count:
        return None
    newest = rows.order_by("-id").values_list(
        Left("question", 2 * NEWS_CHARS), Left("detail", 2 * NEWS_CHARS), "proposed_tool",
        "reason", "process_id",
    )[0]  # fmt: skip
    *words, process_id = newest
    ask = clip(waiting.ask_of(*words), NEWS_CHARS)
    return News(waiting.bounded(count), ask, address(process_id))
