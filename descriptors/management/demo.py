"""Which agents of the demo sleep, and on what: told once, right after the demo's stories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dalhc import clock
from descriptors import services
from descriptors.contract.commands import Sleep
from descriptors.contract.limits import FORMAT_VERSION
from processes.models import Process, Suspension
from processes.services import Actor
from processes.shown import times


@dataclass(frozen=True, slots=True)
class Asleep:
    """One process of the demo: its timer in so many minutes, signals, its open suspension."""

    id: str
    preset: str
    cwd: str
    timer: int | None = None
    signals: tuple[str, ...] = ()
    on_person: bool = False
    most_wakes: int = 20


SCOPES = frozenset({"journal", "read", "wake"})

SLEEPERS = (
    Asleep("nightly-backup-check.0b12", "backups", "/srv/backups", timer=400, most_wakes=60),
    Asleep("newsletter.d4e8", "writing", "/srv/newsletter", timer=805),
    # Its timer passed while no runtime was there to claim it.
    Asleep(
        "stock-count.5a07", "stock", "/srv/stock", timer=-26, signals=("scanner/north/online",)
    ),
    Asleep("year-end-plan.c3a1", "ledgers", "/srv/ledgers", timer=1_210),
    Asleep(
        "catalogue-prices.81e2", "buying", "/srv/buying", timer=185,
        signals=("offers/moinho-velho", "offers/papel-do-norte"),
    ),
    Asleep("press-translation.4410", "writing", "/srv/press", on_person=True),
    # Reminds its principal when the answer is due.
    Asleep("supplier-summary.91be", "buying", "/srv/buying", timer=150, on_person=True),
    Asleep(
        "vendor-onboarding.77d4", "buying", "/srv/buying", timer=430,
        signals=("bank/V-0931/confirmed",), on_person=True, most_wakes=5,
    ),
)  # fmt: skip


def put_to_sleep(**_: object) -> None:
    """Every sleeper, by its own agent, a moment after the last thing its process did."""
    now = clock.now_ms()
    for one in SLEEPERS:
        process = Process.objects.get(id=one.id)
        by = Actor("runtime", process.agent, agent=process.agent, scopes=SCOPES)
        with clock.at(min(now, process.updated_at_ms + 1_000)):
            services.sleep(Sleep.model_validate(_body(one, now, by)), by=by)


def _body(one: Asleep, now: int, by: Actor) -> dict[str, Any]:
    place = services.source(one.id, by=by)
    return {
        "session_id": one.id,
        "format_version": FORMAT_VERSION,
        "agent_preset_id": one.preset,
        "execution_world": {"cwd": one.cwd, "env_class": "host"},
        "wake_conditions": [*_conditions(one, now)],
        "budget_state": {"max_consecutive_wakes": one.most_wakes},
        "last_committed": {
            "source_revision": place.revision,
            "seq_watermark": place.seq,
            "turn_id": "turn-0",
        },
    }


def _conditions(one: Asleep, now: int) -> Iterator[dict[str, str | int]]:
    if one.timer is not None:
        yield {"kind": "timer", "key": now + one.timer * times.MINUTE}
    for key in one.signals:
        yield {"kind": "wait-provider", "key": key}
    if one.on_person:
        yield {"kind": "human", "key": Suspension.objects.of(one.id).open().get().id}
