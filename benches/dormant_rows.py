"""Rows of dormant agents: one in four sleeps on a timer, on a letterbox with a timer beside
it, on a person, on a letterbox alone.

`fill` puts them into the database of a home in one transaction: a million through the services
would take an hour. The first of them are put to sleep by the services, process, log and all;
these are the ones that a bench wakes and puts to sleep again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

AGENTS = 5
TOUCHED = 200  # that are put to sleep anew, and as many again that are due
LATE = "agent-1"  # whose sleepers are due, all over the table
DAY = 86_400_000
# Values that come in no order, as they do in life: an index is filled all over.
SCATTER, RANGE = 2_654_435_761, 2**32
FAST = ("PRAGMA cache_size=-600000",)

Row = tuple[Any, ...]
_SLEEPER = (
    "INSERT INTO descriptors_sleeper (session_id, agent, preset, stage, due_at_ms, wakes, "
    "wall_ms, seq, body) VALUES (?, ?, 'tidy', 'sleeping', ?, 0, 0, 1, ?)"
)
_CONDITION = "INSERT INTO descriptors_condition (session_id, kind, key) VALUES (?, ?, ?)"


def touched(number: int) -> tuple[range, range]:
    """Which are put to sleep anew, and which are due: numbers of sleepers."""
    each = min(TOUCHED, max(5, number // 20))
    return range(each), range(each, 2 * each)


def name(number: int) -> str:
    """As the server mints them: in the order in which they were opened."""
    return f"proc_01980000-0000-7000-8000-{number:012x}"


def agent(number: int) -> str:
    return f"agent-{number % AGENTS}"


def conditions(number: int, now: int) -> list[dict[str, Any]]:
    """What a sleeper that is not touched sleeps on. Timers are within the next day; those of
    agent 1 were within the last, and nobody has claimed it.
    """
    scattered = number * SCATTER % RANGE
    begins = now - 2 * DAY if agent(number) == LATE else now + DAY
    timer = {"kind": "timer", "key": begins + scattered % DAY}
    letter = {"kind": "wait-provider", "key": f"letterbox/{scattered:08x}"}
    person = {"kind": "human", "key": f"susp_01980000-0000-7000-8000-{number:012x}"}
    kinds: list[list[dict[str, Any]]] = [[timer], [letter, timer], [person], [letter]]
    return kinds[number % 4]


def descriptor(number: int, on: list[dict[str, Any]], revision: str) -> dict[str, Any]:
    """All seven fields."""
    return {
        "session_id": name(number),
        "format_version": 1,
        "agent_preset_id": "tidy",
        "execution_world": {"cwd": "/srv/agents/letters", "env_class": "container"},
        "wake_conditions": on,
        "budget_state": {"max_consecutive_wakes": 1_000_000},
        "last_committed": {
            "source_revision": revision,
            "seq_watermark": int(revision.partition(":")[2]),
            "turn_id": "turn-1",
        },
    }


def fill(home: str, number: int) -> float:
    """Make the database of this home; returns its bytes on disk per sleeper filled in.

    Run it in a process that ends afterwards: what it needs is no part of a figure.
    """
    set_up(home)
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    revision = put_to_sleep(number)
    connection.ensure_connection()
    library = connection.connection
    for pragma in FAST:
        library.execute(pragma)
    library.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = Path(str(connection.settings_dict["NAME"]))
    before, now = path.stat().st_size, int(time.time() * 1000)
    rest = range(2 * len(touched(number)[0]), number)
    library.execute("BEGIN IMMEDIATE")
    library.executemany(_SLEEPER, sleepers(rest, now, revision))
    library.executemany(_CONDITION, listening(rest, now))
    library.execute("COMMIT")
    library.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    grown = path.stat().st_size - before
    connection.close()
    return grown / len(rest) if rest else 0.0


def set_up(home: str) -> None:
    """Django on the data of this home, once in a process."""
    import django

    os.environ["DALHC_HOME"] = home
    os.environ["DJANGO_SETTINGS_MODULE"] = "dalhc.settings"
    django.setup()


def put_to_sleep(number: int) -> str:
    """Those that are touched, through the services; returns where their logs stand."""
    from descriptors import services
    from descriptors.contract.commands import Sleep
    from processes.journal.commands import OpenProcess
    from processes.services import open_process

    again, due = touched(number)
    revision = ""
    for each in (*again, *due):
        by = runtime(0)
        opened = OpenProcess(objective="Sort the letters", id=name(each), start=True)
        open_process(opened, by=by)
        revision = services.source(name(each), by=by).revision
        on = letter_and_timer(each, 0, due_ms=1 + each if each in due else None)
        services.sleep(Sleep.model_validate(descriptor(each, on, revision)), by=by)
    return revision


def letter_and_timer(number: int, turn: int, due_ms: int | None) -> list[dict[str, Any]]:
    """What a touched one sleeps on: another letter each time, and a timer (None: far away)."""
    letter = {"kind": "wait-provider", "key": f"letterbox/{number}/{turn}"}
    return [letter, {"kind": "timer", "key": due_ms or 4_000_000_000_000 + turn}]


def runtime(number: int) -> Any:
    """The runtime whose agent this is; all that are touched are of agent 0."""
    from processes.services import Actor

    mine = agent(number)
    return Actor("runtime", mine, agent=mine, scopes=frozenset({"journal", "read", "wake"}))


def sleepers(numbers: range, now: int, revision: str) -> Iterator[Row]:
    """(id, agent, due time or None, descriptor as canonical text)."""
    for number in numbers:
        on = conditions(number, now)
        due = min((one["key"] for one in on if one["kind"] == "timer"), default=None)
        yield name(number), agent(number), due, text(descriptor(number, on, revision))


def listening(numbers: range, now: int) -> Iterator[Row]:
    for number in numbers:
        for one in conditions(number, now):
            if one["kind"] != "timer":
                yield name(number), one["kind"], one["key"]


def text(value: dict[str, Any]) -> str:
    budget = {"max_steps": None, "max_wall_ms": None, **value["budget_state"]}
    whole = {**value, "budget_state": budget}
    return json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
