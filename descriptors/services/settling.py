"""What has settled already: a stop that is decided, a signal that was kept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dalhc.db.refusals import Again
from descriptors.contract import errors
from descriptors.contract.record import WakeCondition
from descriptors.store import signals
from processes import services
from processes.journal.errors import ProcessNotFound
from processes.services.actors import SYSTEM

_SIGNALLED = {"wait-provider", "explicit"}


def hold_keys(conditions: Iterable[WakeCondition]) -> None:
    """Before the process is locked, for a signal locks in this order too: nobody signals these
    between our look and our falling asleep.
    """
    signals.lock(_pairs(conditions))


def require_keys(conditions: Iterable[WakeCondition]) -> None:
    """With the process locked already: these were held before, unless it fell asleep on others
    since; then, if somebody has one of them, the whole write runs again.
    """
    if not signals.hold(_pairs(conditions)):
        raise Again


def settled_before(row: services.Row, conditions: list[WakeCondition]) -> dict[str, Any] | None:
    """What had settled before it slept: nothing is lost between asking and sleeping."""
    for one in conditions:
        if one.kind == "human" and not _is_open(row, str(one.key)):
            return {"kind": "human", "key": one.key}
    for one in conditions:
        if one.kind in _SIGNALLED:
            kept = signals.take(row.host.agent, one.kind, str(one.key))
            if kept is not None:
                payload = {} if kept[0] is None else {"payload": json.loads(kept[0])}
                return {"kind": one.kind, "key": one.key, **payload}
    return None


def _pairs(conditions: Iterable[WakeCondition]) -> list[tuple[str, str]]:
    return [(one.kind, str(one.key)) for one in conditions if one.kind in _SIGNALLED]


def _is_open(row: services.Row, suspension_id: str) -> bool:
    """Raises UnknownSuspension for one of another process."""
    try:
        stop = services.suspension(suspension_id, by=SYSTEM)
    except ProcessNotFound:
        raise errors.UnknownSuspension(pointer="/wake_conditions") from None
    if stop.process_id != row.head.id:
        raise errors.UnknownSuspension(pointer="/wake_conditions")
    return stop.status == "open"
