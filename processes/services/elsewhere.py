"""What another process on the same SQLite has changed, by the topics it rang there.

Nobody tells, so it is read from the log: whatever rings for a process, its agent, the inbox or
a keeper has an event. Keys have none, and are read anew after every change.
"""

from __future__ import annotations

from collections.abc import Callable

from dalhc import bell
from dalhc.db import notices
from processes.services import asking, keys, outbox
from processes.store import changes

_of_agents: list[Callable[[str], str]] = []


def ring_for_agents(topic: Callable[[str], str]) -> None:
    """`topic(agent)` rings with whatever happens to one of the agent's processes."""
    _of_agents.append(topic)


def since(event_id: int) -> tuple[int, list[str] | None]:
    """The newest event's id, and the topics of what happened after `event_id`; None when it is
    too much to name.
    """
    newest, changed = changes.since(event_id)
    if changed is None:
        return newest, None
    topics = [keys.KEYS, *(id for id, _ in changed)]
    for agent in sorted({agent for _, agent in changed}):
        topics += [topic(agent) for topic in _of_agents]
    return newest, [*topics, *EVERY] if changed else topics


EVERY = (bell.INBOX, asking.HOUSEKEEPING, outbox.TOPIC)

notices.look_with(since)
