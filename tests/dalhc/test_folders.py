"""A folder's name is flushed in the folder above it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from dalhc import folders


@pytest.fixture
def flushed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders flushed, in order."""
    found: list[Path] = []
    flush = folders.flush
    monkeypatch.setattr(folders, "flush", lambda one: (found.append(one), flush(one))[1])
    return found


def test_each_new_folder_is_on_disk_in_the_one_above(tmp_path, flushed):
    folders.make(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()
    assert flushed == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]


def test_a_folder_that_is_there_costs_nothing_and_keeps_its_mode(tmp_path, flushed):
    (tmp_path / "there").mkdir(mode=0o750)
    folders.make(tmp_path / "there")
    assert flushed == []
    assert stat.S_IMODE(os.stat(tmp_path / "there").st_mode) == 0o750


def test_the_folder_itself_is_private(tmp_path):
    folders.make(tmp_path / "own")
    assert stat.S_IMODE(os.stat(tmp_path / "own").st_mode) == 0o700


def test_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileExistsError):
        folders.make(tmp_path / "file")


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_disk_that_flushes_no_folder_is_written_to_all_the_same(tmp_path, monkeypatch, code):
    monkeypatch.setattr(os, "fsync", fails_with(code))
    folders.make(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_disk_that_fails_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", fails_with(errno.EIO))
    with pytest.raises(OSError, match="fails"):
        folders.make(tmp_path / "a")


def fails_with(code: int):
    def fsync(handle: int) -> None:
        raise OSError(code, "it fails")

    return fsync
