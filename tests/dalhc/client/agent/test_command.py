"""The agent's command line: its sentences and exit codes, before it reaches a server."""

from __future__ import annotations

import os

import pytest

from dalhc.client.agent.command import WRONG_USE, folder, main
from dalhc.client.agent.refused import CannotStart


def test_a_folder_that_is_missing_is_said_in_one_sentence(tmp_path, capsys):
    assert main([str(tmp_path / "no\nwhere")]) == WRONG_USE
    told = capsys.readouterr()
    assert told.err == f"There is no folder {tmp_path}/no\\nwhere.\n"
    assert told.out == ""


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotStart, match="is not a folder"):
        folder(str(tmp_path / "file"))


def test_a_folder_that_may_not_be_read_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CannotStart, match="cannot be read"):
        folder(str(tmp_path))


def test_a_folder_is_taken_by_its_real_path(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folder("~/link/") == os.path.realpath(tmp_path / "real")


def test_a_server_that_is_not_there_is_said_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DALHC_HOME", str(tmp_path))
    assert main([str(tmp_path)]) == WRONG_USE
    assert "start the server with `make run`" in capsys.readouterr().err


def test_no_folder_at_all_is_wrong_use(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == WRONG_USE
    assert "FOLDER" in capsys.readouterr().err
