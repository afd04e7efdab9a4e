"""One folder on disk, as it is listed and as it is read back."""

from __future__ import annotations

import os

from dalhc.client.agent import listing
from dalhc.client.agent.listing import File, Listing, list_folder


def test_files_and_folders_come_by_name_with_their_sizes(tmp_path):
    (tmp_path / "b.txt").write_text("bb")
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "sub").mkdir()
    found = list_folder(str(tmp_path), "")
    assert found.files == [File("a.txt", 1), File("b.txt", 2)]
    assert found.folders == ["sub"]


def test_a_folder_below_names_its_files_from_the_top(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("a")
    assert list_folder(str(tmp_path), "sub").files == [File("sub/a.txt", 1)]


def test_links_hidden_files_and_pipes_are_left_out_and_counted(tmp_path):
    (tmp_path / "real.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to("real.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / "pipe")
    found = list_folder(str(tmp_path), "")
    assert [file.path for file in found.files] == ["real.txt"]
    assert (found.links, found.hidden, found.special, found.folders) == (2, 2, 1, [])
    assert found.in_words() == (
        "1 file (1 byte), 0 folders; 2 hidden left out; 2 symbolic links left out; "
        "1 special file left out."
    )


def test_two_names_of_one_file_carry_the_same_mark(tmp_path):
    (tmp_path / "a").write_text("x")
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").write_text("x")
    first, second, third = list_folder(str(tmp_path), "").files
    assert first.link == second.link != ""
    assert third.link == ""


def test_a_folder_that_is_gone_is_noted(tmp_path):
    found = list_folder(str(tmp_path), "gone")
    assert found.unreadable == ["gone (No such file or directory)"]
    assert "could not be read: gone" in found.in_words()


def test_a_name_of_any_bytes_survives_the_artifact(tmp_path):
    name = os.fsdecode(b"caf\xe9\n.txt")
    (tmp_path / name).write_text("x")
    found = list_folder(str(tmp_path), "")
    raw = found.dump()
    assert raw.isascii()
    assert Listing.load(raw) == found


def test_a_folder_of_very_many_files_is_bounded_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}").write_text("x")
    found = list_folder(str(tmp_path), "")
    assert (len(found.files), found.more) == (3, 2)
    assert "2 files beyond the limit" in found.in_words()
