"""Steps on disk: looked up by key, added in order, in raw SQL because every run lives on this
path.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from json.encoder import encode_basestring as _text
from typing import Any

from django.db import connection

from dalhc.db import sql
from processes.journal.commands import AppendStep
from processes.journal.steps import Kept
from processes.store import trace
from processes.store.log import event_hash
from processes.store.rows import EVENT
from processes.store.standing import Standing

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
        for step in _fetch(
            f"idempotency_key IN ({marks}) AND {_succeeded()}", process_id, *keys
        )
    }


def attempts(process_id: str, attempt_ids: Sequence[str]) -> dict[str, StepFields]:
    marks = ", ".join(["%s"] * len(attempt_ids))
    found = _fetch(
        f"attempt_id IN ({marks}) AND attempt_id IS NOT NULL", process_id, *attempt_ids
    )
    return {step["attempt_id"]: step for step in found}


def is_denied(process_id: str, key: str) -> bool:
    """A person denied exactly this call, and nobody has allowed it since (contract §3)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.action FROM processes_decision d "
            "JOIN processes_suspension s ON s.id = d.suspension_id "
            f"WHERE s.process_id = %s AND d.step_key = %s AND {_true('d.live')} "
            "ORDER BY s.opened_at_ms DESC, s.id DESC LIMIT 1",
            (process_id, key),
        )
        last = cursor.fetchone()
    return last is not None and last[0] == "deny"


def fields(command: AppendStep, kept: Kept, seq: int, at_ms: int) -> StepFields:
    """A step as it will stand in its row."""
    return {
        "seq": seq,
        "tool": command.tool,
        "args": command.args,
        "success": command.success,
        "result_digest": kept.result_digest,
        "artifacts_json": artifacts_json(kept.artifacts),
        "idempotency_key": command.key,
        "attempt_id": command.attempt_id,
        "effect": command.effect,
        "digest_clipped": kept.digest_clipped,
        "artifacts_dropped": kept.artifacts_dropped,
        "at_ms": at_ms,
        "skips": 0,
    }


def artifacts_json(artifacts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, artifacts))}]"


def step_data(step: StepFields) -> str:
    """A step's event holds the hash of the stored step, not its text again (architecture
    §3.4).
    """
    return (
        f'{{"hash":"{step_hash(step)}","key":"{step["idempotency_key"]}",'
        f'"step":{step["seq"]},"success":{_bool(step["success"])}}}'
    )


def step_hash(step: StepFields) -> str:
    """SHA-256 over canonical JSON of everything stored but the count of replays.

    Spelled out with its keys in order: this runs once per step of every run.
    """
    attempt = "null" if step["attempt_id"] is None else _text(step["attempt_id"])
    text = (
        f'{{"args":{_text(step["args"])},"artifacts":{step["artifacts_json"]},'
        f'"artifacts_dropped":{step["artifacts_dropped"]},"at_ms":{step["at_ms"]},'
        f'"attempt_id":{attempt},"digest_clipped":{_bool(step["digest_clipped"])},'
        f'"effect":"{step["effect"]}","idempotency_key":"{step["idempotency_key"]}",'
        f'"result_digest":{_text(step["result_digest"])},"seq":{step["seq"]},'
        f'"success":{_bool(step["success"])},"tool":{_text(step["tool"])}}}'
    )
    return sha256(text.encode()).hexdigest()


def _bool(value: bool) -> str:
    return "true" if value else "false"


def event(run: Standing, step: StepFields, actor: str) -> tuple[Any, ...]:
    """The event of a step at the revision of `run`, whose chain goes on to it."""
    at_ms: int = step["at_ms"]
    data, prev = trace.on_text(step_data(step)), run.chain
    run.chain = event_hash(prev, run.id, run.revision, "step", actor, at_ms, data)
    return (run.id, run.revision, "step", actor, at_ms, data, prev, run.chain)


def add(run: Standing, steps: Sequence[StepFields], actor: str) -> None:
    """Insert steps and one event each; the revision of `run` is the first event's seq and ends
    on the last.
    """
    events = []
    for number, step in enumerate(steps):
        run.revision += 1 if number else 0
        events.append(event(run, step, actor))
    rows = [(run.id, run.lease_epoch, *map(step.__getitem__, FIELDS)) for step in steps]
    sql.run_many(_INSERT, rows)
    sql.run_many(EVENT, events)


def count_skips(process_id: str, seqs: Sequence[int]) -> None:
    """Replays leave a count, nothing else; best effort."""
    marks = ", ".join(["%s"] * len(seqs))
    sql.run(
        "UPDATE processes_step SET skips = skips + 1 "
        f"WHERE process_id = %s AND seq IN ({marks})",
        (process_id, *seqs),
    )
    sql.run(
        "UPDATE processes_process SET skipped = skipped + %s WHERE id = %s",
        (len(seqs), process_id),
    )


def _fetch(condition: str, process_id: str, *params: Any) -> list[StepFields]:
    found = [
        dict(zip(FIELDS, values, strict=True))
        for values in sql.rows(f"{_SELECT} AND {condition}", (process_id, *params))
    ]
    for step in found:
        step["success"], step["digest_clipped"] = (
            bool(step["success"]),
            bool(step["digest_clipped"]),
        )
    return found


def _succeeded() -> str:
    return _true("success")


def _true(column: str) -> str:
    """As Django spells a boolean in a partial index: SQLite matches the index by this very
    text.
    """
    return column if sql.is_postgresql() else f"{column} = 1"
