"""Where runs stood when this server last wrote to them, and an append in one statement that
holds only if they still stand there (`dalhc.db.short`).

The chain says that nothing has happened since: no two histories have one hash.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalhc.db.lately import Lately
from processes.store import steps
from processes.store.standing import Standing

MOST = 4_096  # two MiB; of more runs at a time only the liveliest are spared the lock

_MOVED = ("revision", "journal_seq", "chain", "stored_steps", "steps_used", "updated_at_ms")
_STEP = ("lease_epoch", *steps.FIELDS)
_EVENT = ("seq", "kind", "actor", "at_ms", "data", "prev_hash", "hash")


def _marks(number: int) -> str:
    return ", ".join(["%s"] * number)


# Changes nothing where the run stands elsewhere, somebody has it locked, or the call or the
# attempt is recorded.
APPEND = (
    f"WITH moved AS (UPDATE processes_process SET {', '.join(f'{n} = %s' for n in _MOVED)} "
    "WHERE id = (SELECT id FROM processes_process p "
    "WHERE id = %s AND agent = %s AND origin = 'api' AND revision = %s AND chain = %s "
    "AND NOT EXISTS (SELECT 1 FROM processes_step s WHERE s.process_id = p.id "
    "AND s.idempotency_key = %s AND s.success) "
    "AND NOT EXISTS (SELECT 1 FROM processes_step s WHERE s.process_id = p.id "
    "AND s.attempt_id = %s) "
    "FOR NO KEY UPDATE SKIP LOCKED) RETURNING id), "
    f"added AS (INSERT INTO processes_step (process_id, {', '.join(_STEP)}) "
    f"SELECT id, {_marks(len(_STEP))} FROM moved) "
    f"INSERT INTO processes_event (process_id, {', '.join(_EVENT)}) "
    f"SELECT id, {_marks(len(_EVENT))} FROM moved"
)

lately: Lately[tuple[str, str], Standing] = Lately(MOST)  # by agent and id


def remember(agent: str, run: Standing) -> None:
    """Where it stands, its revision that of its last event: after the commit. Two commits may
    tell it in the other order, which costs the next append a journey and no more.
    """
    lately.put((agent, run.id), run)


def find(agent: str, process_id: str) -> Standing | None:
    """A copy of what is remembered, to be written to or not."""
    found = lately.get((agent, process_id))
    return None if found is None else replace(found)


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
    known = (step["idempotency_key"], step["attempt_id"])
    return (*head, run.id, agent, *seen, *known, *stored, *event)
