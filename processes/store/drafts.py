"""Drafts on disk: one statement each, since every pause in someone's typing is one."""

from __future__ import annotations

from dalhc.db import sql


def save(
    suspension_id: str, by: str, action: str, content: str, typed_at_ms: int, now: int
) -> bool:
    """Keep it unless a later keystroke is kept already; whether it was."""
    return sql.run(_SAVE, (suspension_id, by, action, content, typed_at_ms, now)) == 1


_SAVE = (
    'INSERT INTO processes_draft (suspension_id, "by", action, content, typed_at_ms, '
    "saved_at_ms) VALUES (%s, %s, %s, %s, %s, %s) "
    'ON CONFLICT (suspension_id, "by", action) DO UPDATE SET content = excluded.content, '
    "typed_at_ms = excluded.typed_at_ms, saved_at_ms = excluded.saved_at_ms "
    "WHERE processes_draft.typed_at_ms < excluded.typed_at_ms"
)


def forget(suspension_id: str, by: str) -> None:
    """What was sent is no draft any more."""
    sql.run(
        'DELETE FROM processes_draft WHERE suspension_id = %s AND "by" = %s',
        (suspension_id, by),
    )
