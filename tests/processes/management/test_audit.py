"""`manage.py audit`, `passport` and `import`, as an operator types them."""

from __future__ import annotations

import io
import tarfile
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from dalhc.db.snapshot import snapshot
from dalhc.db.sqlite.library import sqlite
from processes.models import Process
from processes.services import verifying
from tests.making import Made, append, decide, make_process

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


def run(*words: object) -> str:
    said = io.StringIO()
    call_command(*map(str, words), stdout=said, stderr=said)
    return said.getvalue()


def test_without_a_checkpoint_it_says_what_it_cannot_see():
    make_process(steps=1)
    said = run("audit", "verify")
    assert "1 processes with 3 events hold." in said
    assert "There is no checkpoint" in said


def test_the_last_checkpoint_is_taken(tmp_path):
    made = make_process(id="a", steps=1)
    assert "the ends of 1 chains, seal " in run("audit", "checkpoint")
    append(made, args={"n": 2})
    assert "Every chain passes through the checkpoint of " in run("audit", "verify")
    [path] = (tmp_path / "checkpoints").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM processes_step")
        cursor.execute("DELETE FROM processes_event WHERE seq > 0")
        cursor.execute(
            "UPDATE processes_process SET revision = 0, "
            "chain = (SELECT hash FROM processes_event)"
        )
    with pytest.raises(CommandError, match="a: events after 0 were there at the checkpoint"):
        run("audit", "verify")


def test_a_checkpoint_is_named_and_never_overwritten(tmp_path):
    make_process()
    path = tmp_path / "elsewhere.jsonl"
    run("audit", "checkpoint", path)
    with pytest.raises(CommandError, match="never overwrites"):
        run("audit", "checkpoint", path)
    assert "passes through" in run("audit", "verify", "--checkpoint", path)


@pytest.mark.sqlite
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_backup_and_a_copy_of_the_database_are_verified_offline(tmp_path):
    make_process(steps=2)
    backup, copy = tmp_path / "backup.tar", tmp_path / "copy.sqlite3"
    run("backup", backup)
    with tarfile.open(backup) as tar:
        copy.write_bytes(tar.extractfile("dalhc.sqlite3").read())
    for path in (backup, copy):
        assert "1 processes with 4 events hold." in run("audit", "verify", path)
    with sqlite.connect(copy) as rows:
        rows.execute("UPDATE processes_event SET actor = 'x' WHERE seq = 2")
    rows.close()
    with pytest.raises(CommandError, match="event 2 was changed"):
        run("audit", "verify", copy)


@pytest.mark.django_db(transaction=True)
def test_what_is_written_meanwhile_is_not_seen_by_halves():
    made = make_process(running=True)

    def go_on() -> None:
        append(made, args={"n": 1})
        connection.close()

    with snapshot() as execute:
        assert len(list(execute("SELECT id FROM processes_process"))) == 1
        writing = threading.Thread(target=go_on)
        writing.start()
        writing.join()
        assert verifying.verify(execute, {}).events == 2
    assert made.kinds == ["open", "resume", "step"]


@pytest.mark.django_db(transaction=True)
def test_the_running_database_is_read_at_one_moment():
    """Outside any transaction, as the command runs: on a connection of its own."""
    make_process(steps=2)
    assert "1 processes with 4 events hold." in run("audit", "verify")


def test_a_passport_is_written_once_and_verified(tmp_path):
    make_process(id="a", steps=2, ended="completed")
    path = tmp_path / "a.html"
    assert "up to event 4" in run("passport", "a", path)
    with pytest.raises(CommandError, match="never overwrites"):
        run("passport", "a", path)
    assert "a, completed, holds: 5 events, 2 steps, 0 decisions" in run("audit", "verify", path)
    run("audit", "checkpoint")
    assert "Every chain passes through" in run("audit", "verify", path)
    path.write_text(path.read_text().replace("Tidy", "Wreck", 1))
    with pytest.raises(CommandError, match="does not hold"):
        run("audit", "verify", path)


def test_no_process_no_passport():
    with pytest.raises(CommandError, match="no such process"):
        run("passport", "nothing")


def test_a_passport_comes_in_on_another_server(tmp_path):
    made = make_process(id="a", steps=2, question="Which?")
    decide(made, answer="eu")
    before = made.record
    path = tmp_path / "a.html"
    run("passport", "a", path)
    with connection.cursor() as cursor:
        for table in ("decision", "suspension", "step", "turn", "event", "process"):
            cursor.execute(f"DELETE FROM processes_{table}")
    assert "a: taken in." in run("import", path, "--agent", "painter")
    assert Process.objects.get().agent == "painter"
    assert Made("a").record == before
    assert "a: here already." in run("import", path, "--agent", "painter")


def test_a_journal_comes_in_as_it_is(tmp_path):
    path = tmp_path / "b.json"
    path.write_text(
        '{"schema_version": 1, "id": "b", "objective": "x", "state": "running", '
        '"created_at_ms": 1, "updated_at_ms": 2}'
    )
    assert "b: taken in." in run("import", path, "--agent", "painter")
    path.write_text("{}")
    with pytest.raises(CommandError, match="was not taken in"):
        run("import", path, "--agent", "painter")


def test_a_file_to_take_in_is_bounded_and_its_name_is_no_terminals_business(
    tmp_path, monkeypatch
):
    path = tmp_path / "b\x1b[2J.json"
    path.write_text("{" + " " * 100)
    monkeypatch.setattr("processes.journal.limits.FILE_BYTES", 50)
    with pytest.raises(CommandError, match="was not taken in") as refused:
        run("import", path, "--agent", "painter")
    assert "\x1b" not in str(refused.value) and "more than 50" in str(refused.value)
    with pytest.raises(CommandError, match="was not taken in"):
        run("import", tmp_path, "--agent", "painter")


def test_the_journal_of_a_passport_is_bounded_too(tmp_path, monkeypatch):
    make_process(id="a", steps=2)
    run("passport", "a", tmp_path / "a.html")
    monkeypatch.setattr("processes.journal.limits.FILE_BYTES", 50)
    with pytest.raises(CommandError, match="holds a journal of more than"):
        run("import", tmp_path / "a.html", "--agent", "painter")


@pytest.mark.parametrize("content", [b"", b"hello", b"<!doctype html>\n<p>hello"])
def test_what_is_no_export_is_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CommandError, match="It does not hold: file"):
        run("audit", "verify", path)
