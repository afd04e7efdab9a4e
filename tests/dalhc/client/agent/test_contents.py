"""Reading and comparing files that may change, vanish or be something else by now."""

from __future__ import annotations

import os
from hashlib import sha256

import pytest

from dalhc.client.agent import contents
from dalhc.client.agent.contents import Unreadable, digest, not_the_same


def test_a_digest_is_the_sha256_of_the_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "CHUNK", 4)
    (tmp_path / "a").write_bytes(b"0123456789")
    assert digest(str(tmp_path), "a", 10) == sha256(b"0123456789").hexdigest()


@pytest.mark.parametrize("size", [9, 11])
def test_a_file_whose_size_changed_is_not_hashed(tmp_path, size):
    (tmp_path / "a").write_bytes(b"0123456789")
    with pytest.raises(Unreadable, match="changed since it was listed"):
        digest(str(tmp_path), "a", size)


def test_a_file_that_became_a_link_or_a_pipe_is_never_opened(tmp_path):
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "gone"):
        with pytest.raises(Unreadable):
            digest(str(tmp_path), name, 1)


def test_equal_files_are_the_same_byte_for_byte(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "CHUNK", 3)
    for name in "abc":
        (tmp_path / name).write_bytes(b"0123456789")
    assert not_the_same(str(tmp_path), ["a", "b", "c"]) == []


def test_a_file_that_differs_or_vanished_is_left_out(tmp_path):
    (tmp_path / "a").write_bytes(b"same")
    (tmp_path / "b").write_bytes(b"sama")
    (tmp_path / "c").write_bytes(b"same")
    (tmp_path / "d").write_bytes(b"same and more")
    assert not_the_same(str(tmp_path), ["a", "b", "gone", "c", "d"]) == [1, 2, 4]
    assert not_the_same(str(tmp_path), ["gone", "a", "c"]) == [0]
