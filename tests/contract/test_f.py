"""Files and configuration, row by row (contract §5, F). `POST /task` is in test_f_task.py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dalhc.client import JournalFolder
from processes import services
from processes.journal import errors, saving
from processes.services.journals import journal_text
from tests import goldens
from tests.making import append, make_process, principal_actor, runtime_actor

TOP = Path(__file__).parents[2]
OPEN = "from dalhc.client import JournalFolder; JournalFolder().open_process('Tidy', id='a')"


def python(code: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A host in a working directory of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("DAL")}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=own | {"PYTHONPATH": str(TOP)} | env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_F01_F03_the_default_root_is_in_the_working_directory_and_on(tmp_path):
    assert python(OPEN, tmp_path).returncode == 0
    assert [*tmp_path.rglob("*.json")] == [tmp_path / ".dal" / "processes" / "a.json"]


def test_F02_a_root_of_ones_own(tmp_path):
    (tmp_path / "here").mkdir()
    assert python(OPEN, tmp_path / "here", DAL_PROCESS_ROOT="../there").returncode == 0
    assert [*tmp_path.rglob("*.json")] == [tmp_path / "there" / "a.json"]
    assert python(OPEN, tmp_path / "here", DAL_PROCESS_ROOT="").returncode == 0
    assert (tmp_path / "here" / ".dal" / "processes" / "a.json").exists()


@pytest.mark.parametrize("value", ["0", "false", "False", " FALSE "])
def test_F04_F05_F06_switched_off_says_so_and_writes_nothing(tmp_path, value):
    ran = python(OPEN, tmp_path, DAL_AGENT_RUNTIME_PERSIST=value)
    assert "PersistenceDisabled: Durable processes are switched off" in ran.stderr
    assert [*tmp_path.iterdir()] == []


def test_F06_switched_off_every_verb_says_so(tmp_path):
    off = {"DAL_AGENT_RUNTIME_PERSIST": "false"}
    folder = JournalFolder(tmp_path, environ=off)
    for verb in (
        folder.ids, folder.sweep, lambda: folder.read("a"), lambda: folder.next_action("a"),
        lambda: folder.resume_at("a"), lambda: folder.append_step_at("a", "run", "ls"),
        lambda: folder.suspend_at("a", "guard"), lambda: folder.complete("a"),
        lambda: folder.fail("a"), lambda: folder.open_process("Tidy"),
    ):  # fmt: skip
        with pytest.raises(errors.PersistenceDisabled):
            verb()
    assert [*tmp_path.iterdir()] == []


def test_F07_the_journal_is_json_on_disk(tmp_path):
    JournalFolder(tmp_path, environ={}).open_process("Tidy", id="a")
    told = json.loads((tmp_path / "a.json").read_text())
    assert (told["id"], told["schema_version"], told["state"]) == ("a", 1, "suspended")


@pytest.mark.parametrize("broken", ["rename", "fsync", "fchmod"])
def test_F08_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, broken):
    folder = JournalFolder(tmp_path, environ={})
    folder.open_process("Tidy", id="a")
    before = (tmp_path / "a.json").read_bytes()
    monkeypatch.setattr(saving.os, broken, _fail)
    with pytest.raises(OSError, match="broken"):
        folder.resume_at("a")
    assert os.listdir(tmp_path) == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == before


def _fail(*_: object, **__: object) -> None:
    raise OSError("broken")


@pytest.mark.django_db
def test_F09_a_record_is_exchanged_as_a_file_that_needs_no_database(tmp_path):
    made = make_process(id="a", steps=3)
    text = journal_text(made.id, principal_actor())
    (tmp_path / "a.json").write_text(text)
    folder = JournalFolder(tmp_path, environ={})
    folder.append_step_at("a", "run", "one more")
    again = (tmp_path / "a.json").read_bytes().replace(b'"id": "a"', b'"id": "b"')
    services.import_record(again, by=runtime_actor())
    assert journal_text("b", principal_actor()).encode() == again


def test_F10_A32_the_file_grows_with_each_step(tmp_path):
    folder = JournalFolder(tmp_path, environ={})
    folder.open_process("Tidy", id="a")
    folder.resume_at("a")
    for number in range(4):
        folder.append_step_at("a", "run", {"n": number})
        assert len(json.loads((tmp_path / "a.json").read_bytes())["steps"]) == number + 1


@pytest.mark.django_db
def test_F18_what_we_write_is_what_dal_writes():
    made = make_process(id="a", steps=1)
    append(made, args={"contents": "hé"})
    text = journal_text(made.id, principal_actor())
    told = json.loads(text)
    assert text == json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    assert [*told] == [*json.loads(goldens.text("running"))]
    assert all(type(told[name]) is int for name in ("created_at_ms", "updated_at_ms"))


@pytest.mark.parametrize("path", goldens.GOOD, ids=lambda path: path.stem)
def test_F19_what_dal_writes_loads(tmp_path, path):
    shutil.copy(path, tmp_path)
    record = JournalFolder(tmp_path, environ={}).read(path.stem)
    assert record.id == path.stem


def test_F20_a_link_is_refused_whether_root_or_record(tmp_path):
    there, outside = tmp_path / "there", tmp_path / "outside"
    there.mkdir()
    outside.mkdir()
    shutil.copy(goldens.JOURNALS / "running.json", outside)
    before = (outside / "running.json").read_bytes()
    (there / "running.json").symlink_to(outside / "running.json")
    (tmp_path / "link").symlink_to(outside)
    for root in (there, tmp_path / "link"):
        for verb in ("read", "resume_at", "complete", "fail"):
            with pytest.raises(errors.NotAFile):
                getattr(JournalFolder(root, environ={}), verb)("running")
    assert (outside / "running.json").read_bytes() == before
