"""Words → processes, behind one interface: FTS5 on SQLite, a text vector on PostgreSQL.

The index follows what is written and is never in its way: rows are taken in by batches, in the
order they came.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from django.db import connection

from dalhc.db import sql
from processes.models import Event, Process, SearchMark, Step
from processes.store import ids
from processes.store.settled import Settled

SOURCES = ("process", "suspension", "step")
WORDS = 10
WORD_CHARS = 100
EVENTS = 10  # looked at for one process: most events are steps
LOOKED_AT = 2_000  # rows of the index a search looks at, the newest

_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}

type Row = tuple[str, str, str, str]  # text, kind, ref, process

_ADD = "INSERT INTO processes_search (body, kind, ref, process_id) VALUES (%s, %s, %s, %s)"
_FIND = {
    "sqlite": (
        "SELECT ref, process_id FROM processes_search WHERE processes_search MATCH %s{kind} "
        "ORDER BY rowid DESC LIMIT %s"
    ),
    "postgresql": (
        "SELECT ref, process_id FROM processes_search "
        "WHERE vector @@ %s::tsquery{kind} ORDER BY id DESC LIMIT %s"
    ),
}


def find(text: str, most: int, kind: str = "") -> list[tuple[str, str]]:
    """`(ref, process id)` of the newest rows that have every word, whole or as its beginning.
    `kind` is process, suspension (ref: its id) or step (ref: its seq).
    """
    asked = _asked(text)
    if not asked:
        return []
    narrow, params = (" AND kind = %s", [asked, kind]) if kind else ("", [asked])
    statement = _FIND[connection.vendor].replace("{kind}", narrow)
    return [(ref, id) for ref, id in sql.rows(statement, [*params, most])]


def processes(text: str, most: int) -> list[str]:
    """Ids of processes that have every word in one of their texts, the newest text first."""
    found = dict.fromkeys(id for _, id in find(text, LOOKED_AT))
    return list(found)[:most]


def take_in(most: int, upto: Settled) -> bool:
    """Index up to `most` rows of each source that came since the last time, of events and steps
    those up to `upto`; whether there were any. In the caller's transaction, one at a time.
    """
    sql.lock_names(["search"])
    marks = dict(SearchMark.objects.values_list("source", "place"))
    if not marks:
        sql.run("DELETE FROM processes_search", ())
    has_come = False
    for source in SOURCES:
        rows, place = _since(source, marks.get(source, ""), most, upto)
        sql.run_many(_ADD, [(" ".join(words(text)), *more) for text, *more in rows])
        SearchMark.objects.update_or_create(source=source, defaults={"place": place})
        # Of many events none may open a process, and yet they have been looked at.
        has_come |= bool(rows) or place not in {marks.get(source, ""), "0"}
    return has_come


def waits() -> bool:
    """Whether anything came since the last time."""
    marks = dict(SearchMark.objects.values_list("source", "place"))
    return any(_came(source, marks.get(source, "")) for source in SOURCES)


def _came(source: str, place: str) -> bool:
    rows, newest = _since(source, place, 1, EVERYTHING)
    return bool(rows) or newest not in {place, "0"}


EVERYTHING = Settled(2**62, 2**62)


def _since(source: str, place: str, most: int, upto: Settled) -> tuple[list[Row], str]:
    match source:
        case "process":
            return _processes(int(place or 0), most, upto.event)
        case "suspension":
            return _suspensions(place, most)
        case _:
            return _steps(int(place or 0), most, upto.step)


def _processes(place: int, most: int, upto: int) -> tuple[list[Row], str]:
    """Every process has one first event, and events are numbered as they come."""
    events = Event.objects.filter(id__gt=place, id__lte=upto).order_by("id")
    seen = list(events.values_list("id", "seq", "process_id")[: most * EVENTS])
    opened = [process_id for _, seq, process_id in seen if seq == 0]
    columns = ("id", "objective", "agent")
    found = Process.objects.filter(id__in=opened).values_list(*columns)
    rows = [
        (f"{objective}\n{agent}\n{id}", "process", id, id) for id, objective, agent in found
    ]
    return rows, str(seen[-1][0] if seen else place)


def _suspensions(place: str, most: int) -> tuple[list[Row], str]:
    """Their ids are times of the server that made them. Where there are several, one that is a
    little older than the last may come after it.
    """
    if sql.is_postgresql() and place:
        since, absent = ids.earlier(place, LATE_MS), _ABSENT
    else:
        since, absent = place, ""
    found = sql.rows(_SUSPENSIONS.replace("{absent}", absent), (since, most))
    rows = [(_joined(texts), "suspension", id, process_id) for id, process_id, *texts in found]
    return rows, max(place, rows[-1][2]) if rows else place


LATE_MS = 10_000
_SUSPENSIONS = (
    "SELECT s.id, s.process_id, s.question, s.detail, s.proposed_tool "
    "FROM processes_suspension s WHERE s.id > %s{absent} ORDER BY s.id LIMIT %s"
)
_ABSENT = (
    " AND NOT EXISTS (SELECT 1 FROM processes_search f "
    "WHERE f.kind = 'suspension' AND f.ref = s.id)"
)


def _steps(place: int, most: int, upto: int) -> tuple[list[Row], str]:
    columns = ("id", "process_id", "seq", "tool", "result_digest")
    came = Step.objects.filter(id__gt=place, id__lte=upto)
    found = list(came.order_by("id").values_list(*columns)[:most])
    rows = [
        (f"{tool}\n{digest}", "step", str(seq), process_id)
        for _, process_id, seq, tool, digest in found
    ]
    return rows, str(found[-1][0] if found else place)


def _joined(texts: Iterable[str | None]) -> str:
    return "\n".join(text for text in texts if text)


def _asked(text: str) -> str:
    """Every word as it stands, or as the beginning of one; no sign of it is a command."""
    asked = words(text)[:WORDS]
    if connection.vendor == "sqlite":
        return " ".join(f'"{word}"*' for word in asked)
    return " & ".join(f"'{word}':*" for word in asked)


def words(text: str) -> list[str]:
    """Letters and figures without case or accents: the same words on every database."""
    if text.isascii():  # most text is, and it takes a fifth of the time
        return [word[:WORD_CHARS] for word in text.lower().translate(_PLAIN).split()]
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = (
        char if char.isalnum() else " " for char in plain if not unicodedata.combining(char)
    )
    return [word[:WORD_CHARS] for word in "".join(kept).split()]
