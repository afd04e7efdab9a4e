"""Due work, found by an index and never by a scan (contract W01)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dalhc.db import sql

DUE = (
    "SELECT session_id, due_at_ms FROM descriptors_sleeper "
    "WHERE agent = %s AND due_at_ms IS NOT NULL AND due_at_ms <= %s{presets} "
    "ORDER BY due_at_ms LIMIT %s"
)
# PostgreSQL: lock the processes, which every other verb locks first too, and step over those
# that another claim has in hand.
_DUE_SKIPPING = (
    "SELECT s.session_id, s.due_at_ms FROM descriptors_sleeper s "
    "JOIN processes_process p ON p.id = s.session_id "
    "WHERE s.agent = %s AND s.due_at_ms IS NOT NULL AND s.due_at_ms <= %s{presets} "
    "ORDER BY s.due_at_ms LIMIT %s FOR UPDATE OF p SKIP LOCKED"
)
NEXT = (
    "SELECT due_at_ms FROM descriptors_sleeper "
    "WHERE agent = %s AND due_at_ms IS NOT NULL AND due_at_ms > %s{presets} "
    "ORDER BY due_at_ms LIMIT 1"
)

# The stage stands in the text: a partial index is not found for a parameter.
_COUNT = (
    "(SELECT count(*) FROM descriptors_sleeper "
    "WHERE stage = 'sleeping' AND due_at_ms >= %s AND due_at_ms < %s)"
)


def due(
    agent: str, at_ms: int, presets: Sequence[str] | None, limit: int
) -> list[tuple[str, int]]:
    """(session id, due time) of what may be claimed now, the longest due first."""
    statement = _DUE_SKIPPING if sql.is_postgresql() else DUE
    text = statement.format(presets=_among(presets))
    return [(one[0], one[1]) for one in sql.rows(text, (agent, at_ms, *(presets or ()), limit))]


def next_due(agent: str, at_ms: int, presets: Sequence[str] | None) -> int | None:
    """When the next becomes due by itself, after that moment."""
    found = sql.one(NEXT.format(presets=_among(presets)), (agent, at_ms, *(presets or ())))
    return None if found is None else int(found[0])


def counts(edges: Sequence[int]) -> list[int]:
    """How many sleepers are due from each of these times to before the next."""
    pairs = list(pairwise(edges))
    found = sql.one(counting(len(pairs)), [edge for pair in pairs for edge in pair])
    assert found is not None
    return [int(number) for number in found]


def counting(spans: int) -> str:
    """So many counts in one statement, each of a range of an index."""
    return f"SELECT {', '.join([_COUNT] * spans)}"


def _among(presets: Sequence[str] | None) -> str:
    return f" AND preset IN ({', '.join(['%s'] * len(presets))})" if presets else ""
