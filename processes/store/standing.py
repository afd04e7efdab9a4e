"""Where a run stands: the ten columns of its row that an append needs. Reading a whole
row costs as much as writing a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalhc.db import sql
from processes.journal.errors import PreconditionFailed, ProcessNotFound
from processes.journal.record import State
from processes.journal.rules import require_known
from processes.store import trace
from processes.store.log import canonical, event_hash
from processes.store.rows import EVENT, Caller, read, require_api

_COLUMNS = (
    "state", "updated_at_ms", "steps_used", "revision", "chain", "stored_steps", "denials",
    "unused_id", "lease_epoch",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM processes_process WHERE id = %s"


@dataclass(slots=True)
class Standing:
    """Columns of one process, locked; `revision` is already the next event's seq."""

    id: str
    state: State
    updated_at_ms: int
    steps_used: int
    revision: int
    chain: str
    stored_steps: int
    denials: int
    unused_id: str | None
    lease_epoch: int


def lock(process_id: str, by: Caller) -> Standing:
    """As `rows.lock`. Raises ProcessNotFound, UnknownState, PreconditionFailed."""
    mine = "" if by.agent is None else " AND agent = %s AND origin = 'api'"
    params = (process_id,) if by.agent is None else (process_id, by.agent)
    values = sql.one(_SELECT + mine + sql.for_update(), params)
    if values is None:
        require_api(read(process_id, by), by)
        raise ProcessNotFound
    standing = Standing(process_id, _state(values[0]), *values[1:])
    require_known(standing)
    _require_revision(standing, by.expected)
    standing.revision += 1
    return standing


def add_event(run: Standing, kind: str, actor: str, data: dict[str, Any], at_ms: int) -> None:
    """One more event, after those this transaction has added; the caller keeps revision and
    chain.
    """
    run.revision += 1
    text, prev = canonical(trace.on(data)), run.chain
    run.chain = event_hash(prev, run.id, run.revision, kind, actor, at_ms, text)
    sql.run(EVENT, (run.id, run.revision, kind, actor, at_ms, text, prev, run.chain))


def _state(text: str) -> Any:
    """A state we do not know stays text, and the rules refuse it."""
    return State._value2member_map_.get(text, text)


def _require_revision(standing: Standing, expected: int | None) -> None:
    if expected is not None and expected != standing.revision:
        current = {"state": str(standing.state), "revision": standing.revision}
        raise PreconditionFailed(current=current)
