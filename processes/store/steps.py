"""Steps on disk: looked up by key, added in order, in raw SQL because every run lives on this path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from processes.journal.commands import AppendStep
from processes.journal.steps import Kept
from processes.store.log import canonical, digest, event_hash
from processes.store.rows import Row, insert_events

FIELDS = (
    "seq", "tool", "args", "success", "result_digest", "artifacts_json", "idempotency_key",
    "attempt_id", "effect", "digest_clipped", "artifacts_dropped", "at_ms", "skips",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(FIELDS)} FROM processes_step WHERE process_id = %s"
_INSERT = (
    "INSERT INTO processes_step (process_id, lease_epoch, "
    + ", ".join(FIELDS)
    + f") VALUES ({', '.join(['%s'] * (len(FIELDS) + 2))})"
)
type StepFields = dict[str, Any]


def successes(process_id: str, keys: Sequence[str]) -> dict[str, StepFields]:
    """The recorded success of each key that has one. Uses the partial unique index (trap 1)."""
    marks = ", ".join(["%s"] * len(keys))
    return {
        step["idempotency_key"]: step
        for step in _fetch(f"idempotency_key IN ({marks}) AND {_succeeded()}", process_id, *keys)
    }


def attempts(process_id: str, attempt_ids: Sequence[str]) -> dict[str, StepFields]:
    marks = ", ".join(["%s"] * len(attempt_ids))
    found = _fetch(f"attempt_id IN ({marks}) AND attempt_id IS NOT NULL", process_id, *attempt_ids)
    return {step["attempt_id"]: step for step in found}


def is_denied(process_id: str, key: str) -> bool:
    """A person denied exactly this call (contract §3)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM processes_decision d JOIN processes_suspension s ON s.id = d.suspension_id "
            "WHERE s.process_id = %s AND d.action = 'deny' AND d.step_key = %s "
            f"AND {_true('d.live')} LIMIT 1",
            (process_id, key),
        )
        return cursor.fetchone() is not None


def fields(command: AppendStep, kept: Kept, seq: int, at_ms: int) -> StepFields:
    """A step as it will stand in its row."""
    step = kept.step
    return {
        "seq": seq,
        "tool": step.tool,
        "args": step.args,
        "success": step.success,
        "result_digest": step.result_digest,
        "artifacts_json": json.dumps(step.artifacts, ensure_ascii=False) if step.artifacts else "[]",
        "idempotency_key": step.idempotency_key,
        "attempt_id": command.attempt_id,
        "effect": command.effect,
        "digest_clipped": kept.digest_clipped,
        "artifacts_dropped": kept.artifacts_dropped,
        "at_ms": at_ms,
        "skips": 0,
    }


def step_event_data(step: StepFields) -> dict[str, Any]:
    """A step's event holds the hash of the stored step, not its text again (architecture §3.4)."""
    return {
        "hash": step_hash(step),
        "key": step["idempotency_key"],
        "step": step["seq"],
        "success": bool(step["success"]),
    }


def step_hash(step: StepFields) -> str:
    """Over everything stored of the step but the count of its replays."""
    return digest({name: step[name] for name in FIELDS if name != "skips"})


def add(row: Row, steps: Sequence[StepFields], actor: str, at_ms: int) -> None:
    """Insert steps and one event each; the revision of `row` is the first event's seq and ends on the last."""
    host, process_id = row.host, row.head.id
    events = []
    for number, step in enumerate(steps):
        host.revision += 1 if number else 0
        data, prev = canonical(step_event_data(step)), host.chain
        host.chain = event_hash(prev, process_id, host.revision, "step", actor, at_ms, data)
        events.append((process_id, host.revision, "step", actor, at_ms, data, prev, host.chain))
    epoch = host.lease_epoch
    rows = [(process_id, epoch, *(step[name] for name in FIELDS)) for step in steps]
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, rows)
    insert_events(events)


def count_skips(process_id: str, seqs: Sequence[int]) -> None:
    """Replays leave a count, nothing else; best effort."""
    marks = ", ".join(["%s"] * len(seqs))
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE processes_step SET skips = skips + 1 WHERE process_id = %s AND seq IN ({marks})",
            (process_id, *seqs),
        )
        cursor.execute(
            "UPDATE processes_process SET skipped = skipped + %s WHERE id = %s",
            (len(seqs), process_id),
        )


def _fetch(condition: str, process_id: str, *params: Any) -> list[StepFields]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_SELECT} AND {condition}", (process_id, *params))
        found = [dict(zip(FIELDS, values, strict=True)) for values in cursor.fetchall()]
    for step in found:
        step["success"], step["digest_clipped"] = bool(step["success"]), bool(step["digest_clipped"])
    return found


def _succeeded() -> str:
    return _true("success")


def _true(column: str) -> str:
    """As Django spells a boolean in a partial index: SQLite matches the index by this very text."""
    return column if connection.vendor == "postgresql" else f"{column} = 1"
