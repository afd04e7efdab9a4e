"""Files of a watched folder in the transaction of a service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dalhc.db import sql
from processes.journal.record import ProcessStep
from processes.models import JournalFile
from processes.store import raw
from processes.store.steps import artifacts_json

_STEP = (
    "INSERT INTO processes_step (process_id, seq, tool, args, success, result_digest, "
    "artifacts_json, idempotency_key, effect, digest_clipped, artifacts_dropped, lease_epoch, "
    "at_ms, skips) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'at_least_once', %s, 0, 0, %s, 0)"
)
_STEPS = (
    "SELECT tool, args, success, result_digest, artifacts_json FROM processes_step "
    "WHERE process_id = %s ORDER BY seq"
)
_PENDING = (
    "SELECT f.id, f.sha256, d.id FROM processes_process p "
    "JOIN processes_journalfile f ON f.process_id = p.id "
    "JOIN processes_decision d ON d.suspension_id = p.suspension_id AND d.live "
    "WHERE p.id = %s AND p.decided AND p.origin = 'files'"
)


@dataclass(frozen=True, slots=True)
class Pending:
    """A decision that is not in its file yet, and the file it was made about."""

    path: Path
    sha256: str
    decision_id: str


def key(path: Path) -> str:
    """The path as text of a database: a name that is no UTF-8 is written out."""
    return str(path).encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def find(path: Path) -> JournalFile | None:
    return raw.first(JournalFile, "WHERE t.id = %s", key(path))


def of(process_id: str) -> JournalFile | None:
    return raw.first(JournalFile, "WHERE t.process_id = %s", process_id)


def keep(path: Path, now: int, **columns: object) -> None:
    """Insert the row or change these columns of it."""
    if not raw.update(JournalFile, key(path), {}, at_ms=now, **columns):
        raw.insert(JournalFile(id=key(path), at_ms=now, **columns))


def forget(path: Path) -> None:
    sql.run("DELETE FROM processes_journalfile WHERE id = %s", (key(path),))


def take_in(process_id: str, steps: tuple[ProcessStep, ...], first: int, at_ms: int) -> None:
    """Steps as they came in a file; they have no event of their own."""
    rows = [
        (
            process_id, seq, step.tool, step.args, step.success, step.result_digest,
            artifacts_json(step.artifacts), step.idempotency_key, False, at_ms,
        )
        for seq, step in enumerate(steps, first)
    ]  # fmt: skip
    if rows:
        sql.run_many(_STEP, rows)


def begins_with_stored(process_id: str, steps: tuple[ProcessStep, ...]) -> bool:
    """The file's steps go on from those stored; else its runtime has written them anew."""
    stored = sql.rows(_STEPS, (process_id,))
    told = (
        (step.tool, step.args, step.success, step.result_digest, artifacts_json(step.artifacts))
        for step in steps
    )
    return len(stored) <= len(steps) and all(
        (tool, args, bool(success), *rest) == new
        for (tool, args, success, *rest), new in zip(stored, told, strict=False)
    )


def drop_steps(process_id: str) -> None:
    sql.run("DELETE FROM processes_step WHERE process_id = %s", (process_id,))


def pending(process_id: str) -> Pending | None:
    """In one query: the hash and the decision are of the same moment."""
    found = sql.one(_PENDING, (process_id,))
    return Pending(Path(found[0]), found[1], found[2]) if found else None
