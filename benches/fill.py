"""`python -m benches.fill N [words]`: N open suspensions straight into the database of
$DALHC_HOME; with `words` they are in the index of the search too.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import django

from benches.copies import copy

BATCH = 50_000
BEGIN = 1_790_000_000_000
REASONS = ("ask_user", "ask_user", "guard", "unverified", "step_budget", "wall_clock")

_TEXT = "CAST(n AS TEXT)"
_AGENT = "'agent-' || CAST(n %% 12 AS TEXT)"
_QUESTION = (
    "CASE WHEN t.question IS NULL THEN NULL ELSE "
    f"'Which of the two ledgers is the source of truth for entry ' || {_TEXT} || '?' END"
)
# What differs from one to the next; everything else is that of the first of the same reason.
OTHER: dict[str, dict[str, str]] = {
    "Process": {
        "id": f"'filled-' || {_TEXT}",
        "objective": f"'Reconcile entry ' || {_TEXT} || ' against the bank statement'",
        "question": _QUESTION,
        "steps_used": "n %% 40",
        "cycle_id": "CAST(n %% 300 AS TEXT)",
        "created_at_ms": f"{BEGIN} + n",
        "updated_at_ms": f"{BEGIN} + n",
        "agent": _AGENT,
        "suspension_id": f"'susp_filled_' || {_TEXT}",
    },
    "Event": {"process_id": f"'filled-' || {_TEXT}", "at_ms": f"{BEGIN} + n"},
    "Suspension": {
        "id": f"'susp_filled_' || {_TEXT}",
        "process_id": f"'filled-' || {_TEXT}",
        "question": _QUESTION,
        "opened_at_ms": f"{BEGIN} + n",
        "rank": f"{2 * 10**15 + BEGIN} + n",
        "agent": _AGENT,
    },
}


def main(number: int, *, words: bool = False) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dalhc.settings")
    django.setup()
    from django.db import connection, transaction

    from processes.models import Event, Process, Suspension

    first = min(number, len(REASONS))
    with transaction.atomic():
        Process.objects.bulk_create(map(process, range(first)))
        Event.objects.bulk_create(map(event, range(first)))
        Suspension.objects.bulk_create(map(suspension, range(first)))
    for begin in range(first, number, BATCH):
        with transaction.atomic():
            for model in (Process, Event, Suspension):
                _copy(model, begin, min(number, begin + BATCH))
    index() if words else leave_unindexed()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _copy(model: Any, begin: int, end: int) -> None:
    """Rows `begin` to `end` of this table, each of the first of its reason."""
    key = "id" if model.__name__ == "Process" else "process_id"
    first = f"'filled-' || CAST(n %% {len(REASONS)} AS TEXT)"
    copy(model, begin, end, OTHER[model.__name__], f"t.{key} = {first}")


def index() -> None:
    """Everything into the index of the search."""
    from processes.services import searching

    while searching.index():
        pass


def leave_unindexed() -> None:
    """So that no server indexes it while something else is measured."""
    from processes.models import Event, SearchMark, Suspension

    last = Event.objects.order_by("id").values_list("id", flat=True).last()
    stop = Suspension.objects.order_by("id").values_list("id", flat=True).last()
    for source, place in (("process", last), ("suspension", stop), ("step", 0)):
        SearchMark.objects.update_or_create(source=source, defaults={"place": str(place)})


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
        cycle_id=str(n % 300), cycle_phase="review", created_at_ms=BEGIN + n,
        updated_at_ms=BEGIN + n, agent=f"agent-{n % 12}", chain="0" * 64,
        suspension_id=f"susp_filled_{n}", held=reason(n) in {"guard", "unverified"},
    )  # fmt: skip


def event(n: int) -> Any:
    from processes.models import Event

    return Event(
        process_id=f"filled-{n}", seq=0, kind="open", actor="runtime:bench",
        at_ms=BEGIN + n, data="{}", prev_hash="0" * 64, hash="0" * 64,
    )  # fmt: skip


def suspension(n: int) -> Any:
    from processes.models import Suspension

    return Suspension(
        id=f"susp_filled_{n}", process_id=f"filled-{n}", reason=reason(n), question=asked(n),
        detail=None if asked(n) else f"Stopped at entry {n}.",
        opened_at_ms=BEGIN + n, rank=2 * 10**15 + BEGIN + n,
        agent=f"agent-{n % 12}",
        held=reason(n) in {"guard", "unverified"},
    )  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), words="words" in sys.argv[2:])
