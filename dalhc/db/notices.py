"""News between the processes that share a database: what has changed, by the bell's topics.

On PostgreSQL a notice is sent in the transaction that it tells of, so it comes with the COMMIT
or not at all, and every server listens before it serves. On SQLite a process looks for what
others have changed, while somebody waits (architecture §3.10). What may have been missed is
told as everything: whoever waits looks again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from django.db import connection

from dalhc.db import sql

CHANNEL = "dalhc"
# A server does not wake itself twice: its own bell has rung when its notice comes back.
SELF = secrets.token_hex(6)

_handlers: dict[str, Callable[[], None]] = {}


type Changed = Callable[[int], tuple[int, list[str] | None]]
_looking: list[Changed] = []


class Listening(Protocol):
    """What hears of the others until it is told to stop."""

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Ears:
    """Whom to tell: `topic` of each change, `everything` when some may have been missed; and
    whether anyone is `waiting` at all.
    """

    topic: Callable[[str], None]
    everything: Callable[[], None]
    waiting: Callable[[], bool]


def send(*topics: str) -> None:
    """Tell the others at this transaction's COMMIT."""
    if not sql.is_postgresql():
        return
    calls = ", ".join(["pg_notify(%s, %s)"] * len(topics))
    params = [word for topic in topics for word in (CHANNEL, f"{SELF} {topic}")]
    sql.one(f"SELECT {calls}", params)


def when(topic: str, handler: Callable[[], None]) -> None:
    """Run `handler` when another process sends this topic, and when news may have been
    missed.
    """
    _handlers[topic] = handler


def look_with(changed: Changed) -> None:
    """How to look on SQLite: `changed(since)` gives the newest number and the topics since, or
    None for too many to name.
    """
    _looking[:] = [changed]


def listen(ears: Ears) -> Listening:
    """Begin to hear of the others; what they send from now on is not missed."""
    ours = Ears(lambda topic: _hear(topic, ears), lambda: _miss(ears), ears.waiting)
    if connection.vendor == "postgresql":
        from dalhc.db.listener import Listener

        return Listener(ours)
    from dalhc.db.sqlite.watch import Watch

    return Watch(ours, _looking[0] if _looking else lambda since: (since, []))


def _hear(topic: str, ears: Ears) -> None:
    handler = _handlers.get(topic)
    if handler is None:
        ears.topic(topic)
    else:
        handler()


def _miss(ears: Ears) -> None:
    for handler in _handlers.values():
        handler()
    ears.everything()
