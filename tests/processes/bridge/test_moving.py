"""`manage.py journal`: runs moved as files, each problem on a line of its own."""

from __future__ import annotations

import os
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from processes.models import Event, Process
from tests import goldens
from tests.making import make_process

pytestmark = pytest.mark.django_db(transaction=True)


def journal(*words: str | Path) -> str:
    out = StringIO()
    call_command("journal", *map(str, words), stdout=out)
    return out.getvalue()


def refused(*words: str | Path) -> tuple[str, str]:
    """What a command printed that ends with an error, and the error."""
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("journal", *map(str, words), stdout=out)
    return out.getvalue(), str(error.value)


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_export_import_export_is_byte_for_byte_the_same(tmp_path):
    make_process(id="a", steps=3, question="Which?")
    make_process(id="b", ended="completed", metadata={"cycle_id": "208"})
    for path in goldens.GOOD:
        journal("import", path)
    one, two = tmp_path / "one", tmp_path / "two"
    assert "none refused" in journal("export", one)
    assert len(texts(one)) == 2 + len(goldens.GOOD)
    Event.objects.all()._raw_delete("default")
    Process.objects.all().delete()
    assert f"{len(texts(one))} taken in" in journal("import", one, "--agent", "tidier")
    journal("export", two)
    assert texts(one) == texts(two)
    assert set(Process.objects.values_list("agent", "origin")) == {("tidier", "api")}


def test_again_is_nothing_new(tmp_path):
    make_process(id="a", steps=1)
    journal("export", tmp_path)
    assert "0 written, 1 were there already" in journal("export", tmp_path)
    journal("import", goldens.JOURNALS / "running.json")
    again = journal("import", goldens.JOURNALS / "running.json")
    assert "0 taken in, 1 were here already" in again


def test_only_these(tmp_path):
    make_process(id="a")
    make_process(id="b")
    journal("export", tmp_path, "b")
    assert [*texts(tmp_path)] == ["b.json"]
    out, error = refused("export", tmp_path, "c")
    assert "c.json: process_not_found" in out and "1 refused" in error


def test_a_file_that_stands_there_otherwise_is_left_as_it_is(tmp_path):
    make_process(id="a")
    (tmp_path / "a.json").write_text("mine")
    out, _ = refused("export", tmp_path)
    assert "a.json: process_exists" in out
    assert texts(tmp_path) == {"a.json": b"mine"}


def test_what_is_refused_is_told_by_line_and_the_rest_is_taken(tmp_path):
    for path in (*goldens.GOOD, *goldens.REFUSED):
        shutil.copy(path, tmp_path)
    (tmp_path / "link.json").symlink_to("/etc/passwd")
    (tmp_path / "x.json.tmp").write_text("{")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for verb in ("check", "import"):
        out, error = refused(verb, tmp_path)
        lines = dict(line.split(": ", 1) for line in out.strip().splitlines())
        assert set(lines) == {path.name for path in goldens.REFUSED} | {
            "link.json",
            "x.json.tmp",
        }
        assert lines["unknown_state.json"].startswith("unknown_state: ")
        assert error.endswith(f"{len(lines)} refused.")
        assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert Process.objects.count() == (0 if verb == "check" else len(goldens.GOOD))


def test_an_export_never_writes_a_name_that_is_a_device(tmp_path):
    make_process(id="con")
    out, _ = refused("export", tmp_path)
    assert "con.json: invalid_process_id" in out
    assert os.listdir(tmp_path) == []


def test_a_hostile_name_moves_no_cursor(tmp_path):
    (tmp_path / "\x1b[2Jx.json").write_text("{")
    out, _ = refused("check", tmp_path)
    assert "\x1b" not in out and "U+001B" in out


def test_what_is_not_there_is_said(tmp_path):
    assert "There is no" in refused("import", tmp_path / "none")[1]
    assert "There is no" in refused("check", tmp_path / "none.json")[1]


def test_F06_switched_off_nothing_is_taken_in(settings, monkeypatch):
    monkeypatch.setattr(settings.ENVIRONMENT, "persist", "0")
    for verb in ("import", "watch"):
        assert "switched off" in refused(verb, goldens.JOURNALS)[1]
    assert Process.objects.count() == 0
