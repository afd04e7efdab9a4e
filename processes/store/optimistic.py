"""Where runs stood when this server last wrote to them, and an append in one statement that
holds only if they still stand there (`dalhc.db.short`).

The chain says that nothing has happened since: no two histories have one hash.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from processes.store import steps
from processes.store.standing import Standing

MOST = 2_048

_MOVED = ("revision", "journal_seq", "chain", "stored_steps", "steps_used", "updated_at_ms")
_STEP = ("lease_epoch", *steps.FIELDS)
_EVENT = ("seq", "kind", "actor", "at_ms", "data", "prev_hash", "hash")


def _marks(number: int) -> str:
    return ", ".join(["%s"] * number)


# Raises IntegrityError for a success or an attempt that is recorded.
APPEND = (
    f"WITH moved AS (UPDATE processes_process SET {', '.join(f'{n} = %s' for n in _MOVED)} "
    "WHERE id = %s AND agent = %s AND origin = 'api' AND revision = %s AND chain = %s "
    "RETURNING id), "
    f"added AS (INSERT INTO processes_step (process_id, {', '.join(_STEP)}) "
    f"SELECT id, {_marks(len(_STEP))} FROM moved) "
    f"INSERT INTO processes_event (process_id, {', '.join(_EVENT)}) "
    f"SELECT id, {_marks(len(_EVENT))} FROM moved"
)

_lock = Lock()
_lately: OrderedDict[tuple[str, str], Standing] = OrderedDict()


def remember(agent: str, run: Standing) -> None:
    """Where it stands, its revision that of its last event: after the commit."""
    with _lock:
        _lately[agent, run.id] = run
        _lately.move_to_end((agent, run.id))
        if len(_lately) > MOST:
            _lately.popitem(last=False)


def take(agent: str, process_id: str) -> Standing | None:
    """What is remembered of it, for one who means to move it: no other goes by it too."""
    with _lock:
        return _lately.pop((agent, process_id), None)


def forget_all() -> None:
    with _lock:
        _lately.clear()


def moved(agent: str, run: Standing, step: steps.StepFields, actor: str) -> tuple[Any, ...]:
    """The parameters of APPEND; `run` then stands where it leaves it."""
    seen = (run.revision, run.chain)
    run.revision += 1
    _, *event = steps.event(run, step, actor)
    run.stored_steps, run.updated_at_ms = step["seq"], step["at_ms"]
    head = (
        run.revision, run.revision, run.chain, run.stored_steps, run.steps_used,
        run.updated_at_ms,
    )  # fmt: skip
    stored = (run.lease_epoch, *map(step.__getitem__, steps.FIELDS))
    return (*head, run.id, agent, *seen, *stored, *event)
