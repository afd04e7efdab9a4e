"""A folder of journals: what is in it, one writer per id, and nothing followed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from processes.journal import errors, folder, limits, saving
from processes.journal.folder import Folder


@pytest.fixture
def there(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_what_is_hidden_is_not_listed(there, tmp_path):
    for name in ("a.json", ".a.json.tmp", ".a.lock", "note.txt"):
        (tmp_path / name).write_text("x")
    assert set(there.entries()) == {"a.json", "note.txt"}


def test_a_stamp_changes_with_the_file(there, tmp_path):
    path = tmp_path / "a.json"
    assert there.stamp("a.json") is None
    path.write_text("x")
    first = there.stamp("a.json")
    assert first == there.entries()["a.json"] == there.read("a.json").stamp
    path.write_text("xy")
    assert there.stamp("a.json") != first


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        Folder(tmp_path / "none").entries()


def test_F20_a_link_is_not_followed_whether_file_or_folder(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "b.json").write_text("secret")
    (inside / "b.json").symlink_to(outside / "b.json")
    with pytest.raises(errors.NotAFile):
        Folder(inside).read("b.json")
    (tmp_path / "link").symlink_to(outside)
    with pytest.raises(errors.NotAFile):
        Folder(tmp_path / "link").read("b.json")


def test_what_is_no_file_is_refused_without_waiting_for_it(there, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe.json", "folder.json"):
        with pytest.raises(errors.NotAFile):
            there.read(name)


def test_a_file_past_the_bound_is_not_read(there, tmp_path):
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(limits.FILE_BYTES + 1)
    with pytest.raises(errors.CorruptRecord):
        there.read("a.json")


def test_a_file_that_changes_while_it_is_read_is_read_again(there, tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")
    real, changes = os.stat, iter([b"new", b"newest"])

    def stat(name, **how):
        if name == "a.json" and (text := next(changes, None)):
            (tmp_path / "part").write_bytes(text)
            os.replace(tmp_path / "part", path)
        return real(name, **how)

    monkeypatch.setattr(os, "stat", stat)
    assert there.read("a.json").text == b"newest"


def test_a_file_that_never_rests_is_left_for_later(there, tmp_path, monkeypatch):
    path, real = tmp_path / "a.json", os.stat
    path.write_text("x")

    def stat(name, **how):
        path.write_text(path.read_text() + "x")
        return real(name, **how)

    monkeypatch.setattr(os, "stat", stat)
    with pytest.raises(errors.FileChanged):
        there.read("a.json")


def test_one_writer_per_id_also_between_its_case_twins(there):
    entered, order = threading.Event(), []

    def second() -> None:
        entered.set()
        with there.locked("A"):
            order.append("second")

    with there.locked("a"):
        other = threading.Thread(target=second)
        other.start()
        entered.wait(5)
        with there.locked("b"):
            order.append("another id")
        order.append("first")
    other.join(5)
    assert order == ["another id", "first", "second"]
    assert os.listdir(there.path) == []


def test_many_who_lock_in_turn_lose_no_write(there, tmp_path):
    path = tmp_path / "count"
    path.write_text("0")

    def add() -> None:
        for _ in range(50):
            with there.locked("a"):
                path.write_text(str(int(path.read_text()) + 1))

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert path.read_text() == "400"


def test_K11_what_our_writers_left_is_swept_and_nothing_of_others(there, tmp_path):
    ours, theirs = (
        [".a.json.tmp", ".a.lock", ".b.lock"],
        ["c.json.tmp", ".d.tmp", ".e", "a.json"],
    )
    for name in (*ours, *theirs, ".held.json.tmp"):
        (tmp_path / name).write_text("x")
    with there.locked("held"):
        there.sweep()
        assert (tmp_path / ".held.json.tmp").exists()
    assert set(os.listdir(tmp_path)) == {*theirs, ".held.json.tmp"}


@pytest.mark.parametrize("id", ["", "a/b", "..", "a..b", ".a", "a.", "con", "nul.txt", "é"])
def test_O11_an_id_that_is_no_file_name_gets_none(id):
    with pytest.raises(errors.InvalidProcessId):
        folder.file_name(id)


def test_F08_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    there, tmp_path, monkeypatch
):
    (tmp_path / "a.json").write_text("old")
    for name in ("rename", "fsync"):
        with monkeypatch.context() as broken, there.locked("a") as at:
            broken.setattr(os, name, _fail)
            with pytest.raises(OSError, match="disk"):
                saving.replace(at, "a", b"new")
        assert (tmp_path / "a.json").read_text() == "old"
        assert os.listdir(tmp_path) == ["a.json"]


def _fail(*_: object, **__: object) -> None:
    raise OSError("disk")


def test_a_replaced_file_keeps_its_mode(there, tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    path.chmod(0o640)
    with there.locked("a") as at:
        saving.replace(at, "a", b"new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)


def test_what_a_killed_writer_left_is_in_nobodys_way(there, tmp_path):
    (tmp_path / "a.json").write_text("old")
    (tmp_path / ".a.json.tmp").symlink_to(tmp_path / "elsewhere")
    with there.locked("a") as at:
        saving.replace(at, "a", b"new")
    assert (tmp_path / "a.json").read_text() == "new"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("other", ["a.json", "A.json", "A.JSON"])
def test_O12_a_new_file_never_takes_anothers_place(there, tmp_path, other):
    (tmp_path / other).write_text("old")
    with there.locked("a") as at, pytest.raises(errors.ProcessExists):
        saving.create(at, "a", b"new")
    assert (tmp_path / other).read_text() == "old"
    assert os.listdir(tmp_path) == [other]


def test_O12_not_even_when_it_comes_at_the_last_moment(there, tmp_path, monkeypatch):
    real = os.link

    def link(*args, **how):
        (tmp_path / "a.json").write_text("theirs")
        return real(*args, **how)

    monkeypatch.setattr(os, "link", link)
    with there.locked("a") as at, pytest.raises(errors.ProcessExists):
        saving.create(at, "a", b"new")
    assert (tmp_path / "a.json").read_text() == "theirs"
    assert os.listdir(tmp_path) == ["a.json"]
