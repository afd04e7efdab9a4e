"""Who listens to a key, and signals kept for who will."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalhc.db import sql

LISTENERS = (
    "SELECT c.session_id, s.agent FROM descriptors_condition c "
    "JOIN descriptors_sleeper s ON s.session_id = c.session_id "
    "WHERE c.kind = %s AND c.key = %s{mine} ORDER BY c.id LIMIT %s"
)
_KEEP = (
    "INSERT INTO descriptors_signal (agent, kind, key, payload, times, at_ms) "
    "VALUES (%s, %s, %s, %s, 1, %s) ON CONFLICT (kind, key, agent) DO UPDATE SET "
    "payload = excluded.payload, at_ms = excluded.at_ms, times = descriptors_signal.times + 1"
)
TAKE = (
    "SELECT id, payload FROM descriptors_signal "
    "WHERE kind = %s AND key = %s AND agent IN (%s, '') ORDER BY at_ms LIMIT 1"
)


def lock(pairs: Iterable[tuple[str, str]]) -> None:
    """Hold these (kind, key) until the end of the transaction: who signals and who falls asleep
    on it come one after the other, and the second finds what the first has left.
    """
    sql.lock_names(_names(pairs))


def hold(pairs: Iterable[tuple[str, str]]) -> bool:
    """The same without waiting; False when somebody else has one of them."""
    return sql.hold_names(_names(pairs))


def listeners(kind: str, key: str, agent: str | None, limit: int) -> list[tuple[str, str]]:
    """(session id, agent) of who sleeps on exactly this key."""
    mine = "" if agent is None else " AND s.agent = %s"
    params: Sequence[object] = (kind, key) if agent is None else (kind, key, agent)
    found = sql.rows(LISTENERS.format(mine=mine), (*params, limit))
    return [(one[0], one[1]) for one in found]


def keep(agent: str | None, kind: str, key: str, payload: str | None, at_ms: int) -> None:
    """Keep a signal nobody sleeps on; the same again counts, with the newer payload."""
    sql.run(_KEEP, (agent or "", kind, key, payload, at_ms))


def take(agent: str, kind: str, key: str) -> tuple[str | None] | None:
    """The kept signal's payload, once; None when there is none."""
    found = sql.one(TAKE, (kind, key, agent))
    if found is None:
        return None
    sql.run("DELETE FROM descriptors_signal WHERE id = %s", (found[0],))
    return (found[1],)


def drop_older(at_ms: int) -> None:
    sql.run("DELETE FROM descriptors_signal WHERE at_ms < %s", (at_ms,))


def _names(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"signal {kind} {key}" for kind, key in pairs]


def count(agent: str | None) -> int:
    """How many are kept for this agent."""
    found = sql.one("SELECT count(*) FROM descriptors_signal WHERE agent = %s", (agent or "",))
    return int(found[0]) if found else 0
