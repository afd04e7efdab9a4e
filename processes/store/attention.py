"""Who a suspension is meant for, and whose time has come, in the transaction of a service."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dalhc.db import sql
from processes.models import Suspension

_BY_NAME = "INSERT INTO processes_assignment (suspension_id, name) VALUES (%s, %s)"
_EXPIRED = (
    "SELECT id FROM processes_suspension WHERE status = 'open' "
    "AND expires_at_ms IS NOT NULL AND expires_at_ms <= %s AND on_timeout <> 'wait' "
    "ORDER BY expires_at_ms LIMIT %s"
)
_AWAKE = (
    "SELECT id FROM processes_suspension WHERE status = 'open' "
    "AND snoozed_until_ms IS NOT NULL AND snoozed_until_ms <= %s "
    "ORDER BY snoozed_until_ms LIMIT %s"
)
_NEXT_EXPIRY = (
    "SELECT expires_at_ms FROM processes_suspension WHERE status = 'open' "
    "AND expires_at_ms IS NOT NULL AND on_timeout <> 'wait' ORDER BY expires_at_ms LIMIT 1"
)
_NEXT_AWAKE = (
    "SELECT snoozed_until_ms FROM processes_suspension WHERE status = 'open' "
    "AND snoozed_until_ms IS NOT NULL ORDER BY snoozed_until_ms LIMIT 1"
)
_OPEN_OF_AGENT = (
    "SELECT COUNT(*) FROM (SELECT 1 FROM processes_suspension "
    "WHERE status = 'open' AND agent = %s LIMIT %s) AS n"
)


def assign(stop: Suspension, names: Sequence[str]) -> None:
    """Each name once, in the order they were said. The caller keeps the row."""
    stop.assignees_json = json.dumps(list(dict.fromkeys(names)), ensure_ascii=False)


def name_assignees(stop: Suspension) -> None:
    """A row per name, for those who look for their own."""
    if stop.assignees:
        sql.run_many(_BY_NAME, [(stop.id, name) for name in stop.assignees])


def forget_assignees(stop: Suspension) -> None:
    sql.run("DELETE FROM processes_assignment WHERE suspension_id = %s", (stop.id,))


def update(stop: Suspension, **columns: Any) -> None:
    """Columns of a suspension under its lock."""
    names = ", ".join(f'"{name}" = %s' for name in columns)
    sql.run(
        f"UPDATE processes_suspension SET {names} WHERE id = %s", (*columns.values(), stop.id)
    )
    for name, value in columns.items():
        setattr(stop, name, value)


def expired(now: int, most: int) -> list[str]:
    """Whose time is over, the longest ago first."""
    return [id for (id,) in sql.rows(_EXPIRED, (now, most))]


def awake(now: int, most: int) -> list[str]:
    """Snoozed until a moment that has come."""
    return [id for (id,) in sql.rows(_AWAKE, (now, most))]


def next_moment() -> int | None:
    """When the next expiry or end of a snooze is, in Unix milliseconds."""
    found = [sql.one(statement, ()) for statement in (_NEXT_EXPIRY, _NEXT_AWAKE)]
    return min((row[0] for row in found if row is not None), default=None)


def count_open(agent: str, most: int) -> int:
    """How many of an agent's stops are open, counted up to `most`."""
    found = sql.one(_OPEN_OF_AGENT, (agent, most))
    return int(found[0]) if found else 0
