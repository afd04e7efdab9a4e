"""One sleeper's row and what it listens to."""

from __future__ import annotations

import json
from typing import Any

from dalhc.db import sql
from descriptors.contract.cycle import Sleeper, Stage
from descriptors.contract.record import Descriptor
from descriptors.contract.wake import Settled
from descriptors.store import recent

COLUMNS = (
    "session_id", "agent", "preset", "stage", "due_at_ms", "settled", "wakes", "wall_ms",
    "steps_from", "claimed_at_ms", "rebuilt_at_ms", "seq", "body",
)  # fmt: skip
SELECT = f"SELECT {', '.join(COLUMNS)} FROM descriptors_sleeper"
STAGES = frozenset(Stage)
BY_ID = f"{SELECT} WHERE session_id = %s"
_UPSERT = (
    f"INSERT INTO descriptors_sleeper ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))}) ON CONFLICT (session_id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
)
# Nearly every row that is kept is there already, and to change it costs less than to find
# that it cannot be added.
UPDATE = (
    "UPDATE descriptors_sleeper SET "
    + ", ".join(f"{name} = %s" for name in COLUMNS[1:])
    + " WHERE session_id = %s"
)
_LISTEN = "INSERT INTO descriptors_condition (session_id, kind, key) VALUES (%s, %s, %s)"
DEAF = "DELETE FROM descriptors_condition WHERE session_id = %s"
_HEARD = "SELECT kind, key FROM descriptors_condition WHERE session_id = %s"


class Found:
    """A row as it stands; its descriptor is read only when asked for."""

    __slots__ = COLUMNS

    session_id: str
    agent: str
    preset: str
    stage: str
    due_at_ms: int | None
    settled: str | None
    wakes: int
    wall_ms: int
    steps_from: int | None
    claimed_at_ms: int | None
    rebuilt_at_ms: int | None
    seq: int
    body: str

    def __init__(self, values: tuple[Any, ...]) -> None:
        (
            self.session_id, self.agent, self.preset, self.stage, self.due_at_ms, self.settled,
            self.wakes, self.wall_ms, self.steps_from, self.claimed_at_ms, self.rebuilt_at_ms,
            self.seq, self.body,
        ) = values  # fmt: skip

    @property
    def descriptor(self) -> Descriptor | None:
        """None when the row holds no whole one."""
        return recent.read(self.body)

    @property
    def woken_by(self) -> Settled | None:
        return None if self.settled is None else Settled(**json.loads(self.settled))

    def sleeper(self) -> Sleeper | None:
        """The row as the contract's value; None when it is no whole one."""
        descriptor = self.descriptor
        if descriptor is None or self.stage not in STAGES:
            return None
        try:
            woken_by = self.woken_by
        except (ValueError, TypeError):
            return None
        return Sleeper(
            descriptor,
            Stage(self.stage),
            woken_by,
            self.due_at_ms,
            self.wakes,
            self.wall_ms,
            self.steps_from,
            self.claimed_at_ms,
            self.rebuilt_at_ms,
            self.seq,
        )


def find(session_id: str, agent: str | None = None) -> Found | None:
    """The row, unless it is another agent's."""
    if agent is None:
        values = sql.one(BY_ID, (session_id,))
    else:
        values = sql.one(f"{BY_ID} AND agent = %s", (session_id, agent))
    return None if values is None else Found(values)


def keep(agent: str, sleeper: Sleeper) -> None:
    """Write the row and what it listens to, whole: there is no half of it (contract W11)."""
    session_id, *values = _values(agent, sleeper)
    if not sql.run(UPDATE, (*values, session_id)):
        sql.run(_UPSERT, (session_id, *values))
    recent.remember(sleeper.descriptor)
    sql.run(DEAF, (session_id,))
    if heard := listening(sleeper):
        sql.run_many(_LISTEN, [(session_id, kind, key) for kind, key in heard])


def listening(sleeper: Sleeper) -> list[tuple[str, str]]:
    """What can still settle it: nothing once something has, or while a runtime has it."""
    if sleeper.stage is not Stage.SLEEPING or sleeper.settled is not None:
        return []
    named = {(one.kind, str(one.key)) for one in sleeper.descriptor.wake_conditions}
    return sorted(pair for pair in named if pair[0] != "timer")


def heard(session_id: str) -> list[tuple[str, str]]:
    """What its rows say that it listens to."""
    return [(kind, key) for kind, key in sql.rows(_HEARD, (session_id,))]


def forget(session_id: str) -> bool:
    """Remove a sleeper; False when there was none."""
    sql.run(DEAF, (session_id,))
    return sql.run("DELETE FROM descriptors_sleeper WHERE session_id = %s", (session_id,)) == 1


def postpone(session_id: str, seen: int | None, due_at_ms: int) -> None:
    """A claim that lives is looked at again when it lapses; a compare-and-set."""
    sql.run(
        "UPDATE descriptors_sleeper SET due_at_ms = %s "
        "WHERE session_id = %s AND due_at_ms = %s",
        (due_at_ms, session_id, seen),
    )


def every() -> list[str]:
    """The ids of all sleepers: for commands."""
    found = sql.rows("SELECT session_id FROM descriptors_sleeper ORDER BY session_id", ())
    return [session_id for (session_id,) in found]


def forget_all() -> None:
    """Empty both rebuildable tables."""
    sql.run("DELETE FROM descriptors_condition", ())
    sql.run("DELETE FROM descriptors_sleeper", ())


def as_values(agent: str, sleeper: Sleeper) -> tuple[Any, ...]:
    """The row a sleeper is kept as, to compare."""
    return _values(agent, sleeper)


def _values(agent: str, sleeper: Sleeper) -> tuple[Any, ...]:
    descriptor, settled = sleeper.descriptor, sleeper.settled
    return (
        descriptor.session_id, agent, descriptor.agent_preset_id, str(sleeper.stage),
        sleeper.due_at_ms,
        None if settled is None else json.dumps(settled.as_data(), ensure_ascii=False),
        sleeper.wakes, sleeper.wall_ms, sleeper.steps_from, sleeper.claimed_at_ms,
        sleeper.rebuilt_at_ms, sleeper.seq, descriptor.text,
    )  # fmt: skip
