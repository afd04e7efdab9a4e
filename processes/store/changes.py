"""What has changed since the last look: on SQLite nobody tells one process of another."""

from __future__ import annotations

from dalhc.db import sql

MOST = 500

_NEWEST = "SELECT coalesce(max(id), 0) FROM processes_event"
_CHANGED = (
    "SELECT DISTINCT p.id, p.agent FROM processes_event e "
    "JOIN processes_process p ON p.id = e.process_id "
    "WHERE e.id > %s AND e.id <= %s AND e.kind != 'step'"
)


def since(event_id: int) -> tuple[int, list[tuple[str, str]] | None]:
    """The newest event's id; and what happened after `event_id`, as processes with their
    agents: none for steps, as everywhere, and None when it is too much to name.
    """
    found = sql.one(_NEWEST, ())
    newest = int(found[0]) if found else 0
    if newest - event_id > MOST:
        return newest, None
    return newest, [(id, agent) for id, agent in sql.rows(_CHANGED, (event_id, newest))]
