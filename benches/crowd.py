"""`python -m benches.crowd N`: N processes that run, with ten steps each, straight into the
database of $DALHC_HOME. They are copies of one that was made by the services, so that every
column and event is there; neighbours by name are far apart in the table.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import django

from benches.copies import copy

STEPS = 10
BATCH = 50_000
PRIME = 611_953  # no size here is a multiple of it
FIRST = "crowd"


def main(number: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dalhc.settings")
    django.setup()
    from django.db import connection, transaction

    from benches.fill import leave_unindexed
    from processes.models import Event, Process, Step

    begin_ms = _first()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous = OFF")  # nothing is promised of it yet
    for begin in range(0, number, BATCH):
        with transaction.atomic():
            for model in (Process, Step, Event):
                _copy(model, begin, min(number, begin + BATCH), number, begin_ms)
    leave_unindexed()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _first() -> int:
    """The one that is copied; returns when it was made, in Unix milliseconds."""
    from benches.append import STEP
    from processes import services
    from processes.journal.commands import AppendStep, OpenProcess
    from processes.models import Process, RuntimeKey

    agent = RuntimeKey.objects.exclude(agent=None).values_list("agent", flat=True).first()
    by = services.Actor("runtime", str(agent), agent=agent, scopes=frozenset({"journal"}))
    told = OpenProcess(objective="Reconcile the bank statements", id=FIRST, start=True)
    services.open_process(told, by=by)
    steps = [AppendStep.model_validate({**STEP, "args": {"n": n}}) for n in range(STEPS)]
    services.append(FIRST, steps, by=by)
    return Process.objects.get(id=FIRST).created_at_ms


def _copy(model: Any, begin: int, end: int, number: int, begin_ms: int) -> None:
    """Rows of this table for the processes `begin` to `end`, made in the database."""
    name = f"'crowd-' || CAST(n * {PRIME} %% {number} AS TEXT)"
    at_ms = f"{begin_ms} + n"
    key = "id" if model.__name__ == "Process" else "process_id"
    order = "" if key == "id" else "ORDER BY n, t.seq"
    other = {key: name, "created_at_ms": at_ms, "updated_at_ms": at_ms}
    copy(model, begin, end, other, f"t.{key} = '{FIRST}'", order)


if __name__ == "__main__":
    main(int(sys.argv[1]))
