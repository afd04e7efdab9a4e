"""What has changed since the last look: on SQLite nobody tells one process of another."""

from __future__ import annotations

from dalhc import bell
from dalhc.db import sql

MOST = 500

_NEWEST = "SELECT coalesce(max(id), 0) FROM processes_event"
_TOPICS = (
    "SELECT DISTINCT process_id FROM processes_event "
    "WHERE id > %s AND id <= %s AND kind != 'step'"
)


def since(event_id: int) -> tuple[int, list[str] | None]:
    """The newest event's id, and the topics of what happened after `event_id`: none for steps,
    as everywhere; None when it is too much to name.
    """
    found = sql.one(_NEWEST, ())
    newest = int(found[0]) if found else 0
    if newest - event_id > MOST:
        return newest, None
    topics = [str(name) for (name,) in sql.rows(_TOPICS, (event_id, newest))]
    return newest, [*topics, bell.INBOX] if topics else []
