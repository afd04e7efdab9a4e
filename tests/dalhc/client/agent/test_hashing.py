"""Which files are hashed, and in which portions."""

from __future__ import annotations

from dalhc.client.agent import hashing
from dalhc.client.agent.hashing import batches, candidates
from dalhc.client.agent.listing import File
from processes.journal import limits
from processes.journal.canonical import canonical_args


def test_only_sizes_that_occur_twice_are_looked_into_largest_first():
    files = [File("c", 5), File("a", 5), File("b", 9), File("d", 9), File("e", 7)]
    assert [file.path for file in candidates(files)] == ["b", "d", "a", "c"]


def test_empty_files_are_no_duplicates():
    assert candidates([File("a", 0), File("b", 0)]) == []


def test_two_names_of_one_file_are_one_file():
    files = [File("a", 5, "1:1"), File("b", 5, "1:1")]
    assert candidates(files) == []
    assert [file.path for file in candidates([*files, File("c", 5)])] == ["a", "c"]


def test_a_batch_is_bounded_in_files_and_bytes(monkeypatch):
    monkeypatch.setattr(hashing, "FILES", 3)
    monkeypatch.setattr(hashing, "BYTES", 10)
    sizes = [4, 4, 4, 20, 1, 1, 1, 1]
    found = batches([File(str(n), size) for n, size in enumerate(sizes)])
    assert [[file.size for file in batch] for batch in found] == [
        [4, 4],
        [4],
        [20],
        [1, 1, 1],
        [1],
    ]


def test_the_arguments_of_a_batch_fit_whatever_the_names_are():
    files = [File(f"{n}/" + "\u202e語" * 1_300, 1) for n in range(40)]
    for batch in batches(files):
        names = [hashing.shown(file.path) for file in batch]
        text = canonical_args({"batch": 1, "files": names})
        assert len(text.encode()) <= limits.ARGS_BYTES
