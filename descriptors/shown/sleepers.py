"""Who sleeps, on what, until when, and how much of its budget is left."""

from __future__ import annotations

from dataclasses import dataclass

from descriptors.contract.cycle import Sleeper, Stage
from descriptors.contract.record import WakeCondition
from descriptors.services import listed
from processes.models import Process
from processes.services import Actor
from processes.shown import times

LENGTH = 50
KINDS = {
    "timer": "Timers",
    "human": "People",
    "wait-provider": "Providers",
    "explicit": "Explicit",
}
STAGES = {
    Stage.SLEEPING: "Asleep",
    Stage.WAKING: "Awake",
    Stage.SPENT: "Budget used up",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One sleeper as a row of the list."""

    id: str
    objective: str
    agent: str
    sleeper: Sleeper
    is_late: bool
    until: str

    @property
    def stage(self) -> str:
        return STAGES[self.sleeper.stage]

    @property
    def preset(self) -> str:
        return self.sleeper.descriptor.agent_preset_id

    @property
    def conditions(self) -> list[str]:
        return [words(one) for one in self.sleeper.descriptor.wake_conditions]

    @property
    def left(self) -> str:
        """Wakes left until a person is asked."""
        most = self.sleeper.descriptor.budget_state.max_consecutive_wakes
        return f"{max(0, most - self.sleeper.wakes)} of {most} wakes"

    @property
    def committed(self) -> int:
        return self.sleeper.descriptor.last_committed.seq_watermark

    @property
    def can_wake(self) -> bool:
        """Whether a person's wake would do anything."""
        return self.sleeper.stage is Stage.SPENT or (
            self.sleeper.stage is Stage.SLEEPING and self.sleeper.settled is None
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of the list; `after` is where the next begins."""

    rows: list[Line]
    after: str


def lines(by: Actor, now: int, kind: str, prefix: str, preset: str, after: str) -> Lines:
    """One page of sleepers, in the order of their ids."""
    found = listed(
        by=by, kind=kind, key_prefix=prefix, preset=preset, after=after, most=LENGTH + 1
    )
    page = [(one, one.sleeper()) for one in found[:LENGTH]]
    said = dict(
        Process.objects.filter(id__in=[one.session_id for one, _ in page]).values_list(
            "id", "objective"
        )
    )
    rows = [
        line(one.session_id, said.get(one.session_id, ""), one.agent, whole, now)
        for one, whole in page
        if whole is not None
    ]
    return Lines(rows, found[LENGTH - 1].session_id if len(found) > LENGTH else "")


def line(id: str, objective: str, agent: str, sleeper: Sleeper, now: int) -> Line:
    due = sleeper.due_at_ms
    late = due is not None and due < now
    return Line(id, objective, agent, sleeper, late, _until(sleeper, now))


def words(condition: WakeCondition) -> str:
    """A condition as people read it."""
    match condition.kind:
        case "timer":
            return f"timer {times.minute(int(condition.key))}"
        case "human":
            return "an answer"
        case "wait-provider":
            return f"signal {condition.key}"
        case _:
            return f"explicit {condition.key}"


def _until(sleeper: Sleeper, now: int) -> str:
    due = sleeper.due_at_ms
    if sleeper.stage is Stage.SPENT:
        return "until a person decides or wakes it"
    if due is None:
        return "until something settles"
    if sleeper.stage is Stage.WAKING:
        return "claim lapsed" if due < now else f"claim lapses in {times.short(due - now)}"
    if due < now:
        return f"due for {times.short(now - due)}"
    return f"wakes in {times.short(due - now)}"
