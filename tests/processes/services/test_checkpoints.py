"""With a checkpoint a history that was rewritten and chained anew is found too (reliability.md
row 20).
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from processes.models import Event
from processes.services import checkpoints
from processes.services.broken import Broken
from processes.services.verifying import verify
from processes.store.log import GENESIS, event_hash
from tests.making import append, make_process

pytestmark = pytest.mark.django_db


def execute(sql: str, *params: object) -> Iterable[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []


def ends() -> dict[str, tuple[int, str]]:
    """As they stand now, through a file."""
    file = io.BytesIO()
    checkpoints.write(execute, file, "2026-11-29T10:00:00Z")
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    return {line["id"]: (line["seq"], line["hash"]) for line in lines if "id" in line}


def rechain(process_id: str) -> None:
    """What a careful forger does: every hash computed anew from the first event."""
    chain = GENESIS
    for event in list(Event.objects.of(process_id).order_by("seq")):
        own = event_hash(
            chain, process_id, event.seq, event.kind, event.actor, event.at_ms, event.data
        )
        execute(
            "UPDATE processes_event SET prev_hash = %s, hash = %s WHERE id = %s",
            chain, own, event.pk,
        )  # fmt: skip
        chain = own
    execute(
        "UPDATE processes_process SET chain = %s, revision = "
        "(SELECT MAX(seq) FROM processes_event WHERE process_id = %s) WHERE id = %s",
        chain, process_id, process_id,
    )  # fmt: skip


def test_a_chain_that_only_grew_holds():
    made = make_process(steps=2)
    before = ends()
    append(made, args={"n": 3})
    make_process()
    found = verify(execute, before)
    assert (found.processes, found.events) == (2, 6)


def test_a_history_rewritten_and_chained_anew_holds_without_a_checkpoint_and_not_with_one():
    made = make_process(question="Which?", steps=1, id="a")
    before = ends()
    execute("UPDATE processes_event SET actor = 'runtime:other' WHERE seq = 1")
    rechain(made.id)
    verify(execute, {})
    with pytest.raises(Broken, match="a: event 3 is not the one of the checkpoint"):
        verify(execute, before)


def test_a_tail_cut_off_is_found():
    made = make_process(steps=2, id="a")
    before = ends()
    execute("DELETE FROM processes_step WHERE seq = 2")
    execute("DELETE FROM processes_event WHERE seq = 3")
    rechain(made.id)
    verify(execute, {})
    with pytest.raises(Broken, match="a: events after 2 were there at the checkpoint"):
        verify(execute, before)


def test_a_tail_cut_off_and_written_anew_is_found():
    made = make_process(steps=2, id="a")
    before = ends()
    execute("DELETE FROM processes_step WHERE seq = 2")
    execute("DELETE FROM processes_event WHERE seq = 3")
    rechain(made.id)
    execute("UPDATE processes_process SET stored_steps = 1, steps_used = 1")
    append(made, args={"n": 7})
    append(made, args={"n": 8})
    verify(execute, {})
    with pytest.raises(Broken, match="a: event 3 is not the one of the checkpoint"):
        verify(execute, before)


def test_a_process_that_is_gone_is_found():
    made = make_process(id="a")
    before = ends()
    execute("DELETE FROM processes_event")
    execute("DELETE FROM processes_process WHERE id = %s", made.id)
    verify(execute, {})
    with pytest.raises(Broken, match="a: it was there at the checkpoint and is gone"):
        verify(execute, before)


def test_an_older_state_of_the_database_is_found():
    """Restored from a backup that is older than the checkpoint."""
    make_process(id="a", steps=1)
    assert verify(execute, ends())
    newer = {"a": (9, "f" * 64)}
    with pytest.raises(Broken, match="events after 2"):
        verify(execute, newer)


def test_a_step_or_decision_without_its_event_is_found():
    make_process(id="a", steps=1)
    execute(
        "INSERT INTO processes_step (process_id, seq, tool, args, success, result_digest, "
        "artifacts_json, idempotency_key, effect, digest_clipped, artifacts_dropped, "
        "lease_epoch, at_ms, skips) SELECT process_id, 2, tool, 'x', success, result_digest, "
        "artifacts_json, 'f', effect, digest_clipped, artifacts_dropped, lease_epoch, at_ms, "
        "skips FROM processes_step"
    )
    with pytest.raises(Broken, match="stands in no event"):
        verify(execute, {})


def test_what_is_written_is_read(tmp_path):
    make_process(id="a", steps=1)
    path, file = tmp_path / "c.jsonl", io.BytesIO()
    sealed = checkpoints.write(execute, file, "2026-11-29T10:00:00Z")
    path.write_bytes(file.getvalue())
    found = checkpoints.read(path)
    assert found.at == "2026-11-29T10:00:00Z"
    assert found.sealed == sealed and sealed.processes == 1
    assert found.ends == ends() and found.ends["a"][0] == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":2', b'"seq":1'),
        (b'"version":1', b'"version":2'),
        (b'{"id":"a"', b'{"id":"b"'),
        (b'"processes":1', b'"processes":2'),
        (b'"dalhc"', b'"other"'),
        (b'{"id"', b'["id"'),
    ],
)
def test_a_checkpoint_that_was_edited_is_refused(tmp_path: Path, old: bytes, new: bytes):
    make_process(id="a", steps=1)
    file = io.BytesIO()
    checkpoints.write(execute, file, "2026-11-29T10:00:00Z")
    path = tmp_path / "c.jsonl"
    assert old in file.getvalue()
    path.write_bytes(file.getvalue().replace(old, new))
    with pytest.raises(Broken, match=r"c\.jsonl"):
        checkpoints.read(path)


@pytest.mark.parametrize("lines", [0, 1, 2, 4])
def test_a_checkpoint_cut_short_or_added_to_is_refused(tmp_path: Path, lines: int):
    make_process(id="a")
    file = io.BytesIO()
    checkpoints.write(execute, file, "2026-11-29T10:00:00Z")
    written = file.getvalue().splitlines(keepends=True)
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"".join([*written, written[1]][:lines]))
    with pytest.raises(Broken):
        checkpoints.read(path)
