"""`python -m benches.fill N`: N open suspensions straight into the database of $DALHC_HOME."""

from __future__ import annotations

import os
import sys
from typing import Any

import django

BATCH = 5_000
REASONS = ("ask_user", "ask_user", "guard", "unverified", "step_budget", "wall_clock")


def main(number: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dalhc.settings")
    django.setup()
    from django.db import connection, transaction

    from processes.models import Event, Process, Suspension

    for first in range(0, number, BATCH):
        numbers = range(first, min(number, first + BATCH))
        with transaction.atomic():
            Process.objects.bulk_create(map(process, numbers), batch_size=500)
            Event.objects.bulk_create(map(event, numbers), batch_size=500)
            Suspension.objects.bulk_create(map(suspension, numbers), batch_size=500)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def reason(n: int) -> str:
    return REASONS[n % len(REASONS)]


def asked(n: int) -> str | None:
    question = f"Which of the two ledgers is the source of truth for entry {n}?"
    return question if reason(n) == "ask_user" else None


def process(n: int) -> Any:
    from processes.models import Process

    return Process(
        id=f"filled-{n}", objective=f"Reconcile entry {n} against the bank statement",
        state="suspended", suspend_reason=reason(n), question=asked(n), steps_used=n % 40,
        cycle_id=str(n % 300), cycle_phase="review", created_at_ms=1_790_000_000_000 + n,
        updated_at_ms=1_790_000_000_000 + n, agent=f"agent-{n % 12}", chain="0" * 64,
        suspension_id=f"susp_filled_{n}", held=reason(n) in {"guard", "unverified"},
    )  # fmt: skip


def event(n: int) -> Any:
    from processes.models import Event

    return Event(
        process_id=f"filled-{n}", seq=0, kind="open", actor="runtime:bench",
        at_ms=1_790_000_000_000 + n, data="{}", prev_hash="0" * 64, hash="0" * 64,
    )  # fmt: skip


def suspension(n: int) -> Any:
    from processes.models import Suspension

    return Suspension(
        id=f"susp_filled_{n}", process_id=f"filled-{n}", reason=reason(n), question=asked(n),
        detail=None if asked(n) else f"Stopped at entry {n}.",
        opened_at_ms=1_790_000_000_000 + n, rank=2 * 10**15 + 1_790_000_000_000 + n,
        agent=f"agent-{n % 12}",
        held=reason(n) in {"guard", "unverified"},
    )  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]))
