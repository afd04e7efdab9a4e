"""The life of a simulated agent: three sleeps, on a timer, a question and a signal."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Literal

from dalhc.client.models import Suspension
from dalhc.client.sleepers import Condition, human, timer, wait_provider
from dalhc.client.wake import Wake

type Sleep = Literal["timer", "question", "signal"]

PRESET = "simulated"
CWD = "/srv/simulated"
SLEEPS: tuple[Sleep, ...] = ("timer", "question", "signal")
# A signal that nobody sends any more: the timer beside it wakes the agent after so long.
FORGOTTEN_MS = 60_000


@dataclass(frozen=True, slots=True)
class Fell:
    """How a continuation ended: asleep on something, or at its end (`on` is None)."""

    id: str
    on: Sleep | None
    key: str = ""  # of the signal, or the suspension that was opened
    due_ms: int | None = None


def name(run: str, number: int) -> str:
    return f"{PRESET}-{run}-{number:05d}"


def soon(within_s: float) -> int:
    """Some Unix millisecond in the next so many seconds."""
    return int((time.time() + random.uniform(0, within_s)) * 1000)


def go_on(wake: Wake, within_s: float) -> Fell:
    """One continuation. How far it has come is in its descriptor, what it did in its journal,
    so that after a crash anywhere the same continuation does nothing twice.
    """
    if not wake.is_running:
        wake.resume()
    past = _past(wake)
    if not wake.is_running:  # somebody woke it before its answer came
        return _sleep(wake, past, wake.claimed.descriptor["wake_conditions"])
    wake.step("look", {"sleep": past}, do=lambda: f"woken by {wake.woken_by}")
    if past == len(SLEEPS):
        wake.complete(f"Slept {past} times.")
        return Fell(wake.id, None)
    number = int(wake.id.rpartition("-")[2])
    match SLEEPS[(number + past) % len(SLEEPS)]:
        case "timer":
            at_ms = soon(within_s)
            return _sleep(wake, past + 1, [timer(at_ms)], Fell(wake.id, "timer", "", at_ms))
        case "question":
            stop = _ask(wake, past)
            fell = Fell(wake.id, "question", stop.id)
            return _sleep(wake, past + 1, [human(stop.id)], fell)
        case "signal":
            key = f"{wake.id}/parcel-{past}"
            late = timer(soon(0) + FORGOTTEN_MS)
            fell = Fell(wake.id, "signal", key)
            return _sleep(wake, past + 1, [wait_provider(key), late], fell)


def _ask(wake: Wake, past: int) -> Suspension:
    return wake.ask(
        "A parcel came for the neighbour. Take it in?",
        options=["Take it in", "Leave it"],
        ask_key=f"sleep-{past}",
    )


def _sleep(wake: Wake, past: int, on: list[Condition], fell: Fell | None = None) -> Fell:
    wake.commit(*on, turn_id=f"sleep-{past}")
    return fell or Fell(wake.id, "question")


def _past(wake: Wake) -> int:
    """How many of its sleeps lie behind it, the one it was woken from among them."""
    turn: str = wake.claimed.descriptor["last_committed"]["turn_id"]
    return int(turn.rpartition("-")[2])
