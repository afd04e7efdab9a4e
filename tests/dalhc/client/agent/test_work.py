"""The agent's work against the real API, on real files."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from dalhc.client.agent import groups, hashing, questions, walk
from dalhc.client.agent.tools import Tools
from dalhc.client.agent.work import REPORT, TABLE, find_duplicates, objective


class Crash(BaseException):
    """The agent dies here."""


@pytest.fixture
def folder(tmp_path):
    top = tmp_path / "Documents"
    (top / "old").mkdir(parents=True)
    (top / "invoice.pdf").write_bytes(b"%PDF" * 1000)
    (top / "invoice (1).pdf").write_bytes(b"%PDF" * 1000)
    (top / "old" / "notes.txt").write_text("milk")
    (top / "notes.txt").write_text("milk")
    (top / "same-size.txt").write_text("silk")
    return top


def work(desk, folder, said=None, id="dupes-1"):
    root = os.path.realpath(folder)
    with desk.runtime.run(objective(root), id=id) as run:
        lines = [] if said is None else said
        run.final_text = find_duplicates(Tools(run, root, lines.append))
    return run.final_text


def test_the_agent_lists_hashes_compares_asks_and_reports(desk, folder):
    desk.acts += [
        desk.decide("answer", answer="invoice.pdf"),
        desk.decide("decline", note="Ask Ida."),
    ]
    said = []
    assert "2 groups of duplicates found, 1 decided" in work(desk, folder, said)

    record = desk.runtime.get("dupes-1")
    assert record.state == "completed"
    assert [step.tool for step in record.steps] == [
        "list_folder", "list_folder", "hash_files", "compare", "compare", "write_report",
    ]  # fmt: skip
    assert record.steps[0].result_digest == "4 files (8 kB), 1 folder."
    assert record.steps[2].result_digest == "5 files hashed (8 kB); 4 files with a twin here."
    assert record.steps[3].result_digest == "All 2 files are the same, byte for byte."
    assert record.steps[0].artifacts == ("listing/0001.json",)
    assert record.steps[-1].artifacts == (REPORT, TABLE)
    assert [turn.content for turn in record.turns][:2] == [
        "invoice (1).pdf and invoice.pdf are the same 4 kB file. Which one should be kept?",
        "invoice.pdf",
    ]
    report = desk.runtime.get_artifact("dupes-1", REPORT).decode()
    assert "- keep: `invoice.pdf`" in report
    assert "undecided (declined: Ask Ida.)" in report
    assert desk.runtime.get_artifact("dupes-1", TABLE).startswith(b"group,decision,file")
    assert any("answer: invoice.pdf" in line for line in said)


def test_the_agent_changes_nothing_on_disk(desk, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    desk.acts += [desk.decide("answer", answer="Keep all")] * 2
    work(desk, folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_restart_uses_what_is_recorded_even_when_the_folder_has_changed(desk, folder):
    def die(_):
        raise Crash

    desk.acts += [desk.decide("answer", answer="invoice.pdf"), die]
    with pytest.raises(Crash):
        work(desk, folder)
    root = os.path.realpath(folder)
    shutil.rmtree(folder)
    (tmp := folder).mkdir()
    (tmp / "else.txt").write_text("else")

    said = []
    desk.acts += [desk.decide("answer", answer="notes.txt")]
    assert "2 groups of duplicates found, 2 decided" in work(desk, root, said)
    assert sum("(recorded before)" in line for line in said) == 5
    assert len(desk.runtime.get("dupes-1").turns) == 4


def test_without_duplicates_nobody_is_asked(desk, tmp_path):
    (tmp_path / "a").write_text("one")
    assert work(desk, tmp_path).endswith("no duplicates found.")
    report = desk.runtime.get_artifact("dupes-1", REPORT).decode()
    assert "no duplicates found" in report


def test_only_the_most_wasteful_groups_are_asked_about(desk, tmp_path, monkeypatch):
    monkeypatch.setattr(questions, "MOST_QUESTIONS", 2)
    for number in range(4):
        for copy in "ab":
            (tmp_path / f"{number}{copy}").write_bytes(bytes([number]) * (10 + number))
    desk.acts += [desk.decide("answer", answer="3a"), desk.decide("answer", answer="Keep all")]
    assert "4 groups of duplicates found, 2 decided" in work(desk, tmp_path)
    report = desk.runtime.get_artifact("dupes-1", REPORT).decode()
    assert report.count("undecided (not asked: only the 2 largest groups are)") == 2


def test_a_huge_tree_is_bounded_and_the_limits_are_said(desk, tmp_path, monkeypatch):
    monkeypatch.setattr(walk, "MOST_FOLDERS", 3)
    monkeypatch.setattr(hashing, "FILES", 2)
    monkeypatch.setattr(hashing, "MOST_BATCHES", 1)
    monkeypatch.setattr(groups, "MOST_GROUPS", 0)
    for number in range(5):
        (tmp_path / f"folder{number}").mkdir()
        (tmp_path / f"{number}a").write_text("x")
    work(desk, tmp_path)
    report = desk.runtime.get_artifact("dupes-1", REPORT).decode()
    assert "stopped after 3 folders and 5 files; at least 3 folders more were not" in report
    assert "3 smaller files of equal size were not compared" in report
    assert "1 group of equal files with the least to gain were left out" in report


def test_a_file_that_changed_since_it_was_hashed_is_left_out(desk, tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).write_text("same")
    compare = groups.not_the_same

    def changed(root, paths):
        (tmp_path / "b").write_text("sama")
        return compare(root, paths)

    monkeypatch.setattr(groups, "not_the_same", changed)
    desk.acts += [desk.decide("answer", answer="a")]
    work(desk, tmp_path)
    assert desk.runtime.get("dupes-1").steps[2].result_digest == (
        "2 of 3 files are the same, byte for byte. Not the same or no longer readable: 2."
    )
    report = desk.runtime.get_artifact("dupes-1", REPORT).decode()
    assert "- no longer the same when compared: b" in report
    assert "`b`" not in report


def test_a_large_group_in_which_much_changed_can_still_be_read_back():
    group = groups.Group("0" * 64, 1, tuple(map(str, range(2_000))))
    assert groups._left_out("All 2,000 files are the same, byte for byte.", 2_000) == set()
    told = f"1 of 2,000 files are the same, byte for byte. {groups.LEFT_OUT}{groups.ALL}."
    assert groups._left_out(told, len(group.paths)) == set(range(2_000))


def test_hostile_names_reach_neither_the_terminal_nor_the_page_raw(desk, tmp_path):
    raw = os.fsdecode(b"caf\xe9\x1b[2J")
    for name in (raw, "twin\u202e\n"):
        (tmp_path / name).write_text("same")
    desk.acts += [desk.decide("answer", answer="twin\\u202e\\n")]
    said = []
    work(desk, tmp_path, said)
    everything = "".join(said) + json.dumps(
        [step.model_dump() for step in desk.runtime.get("dupes-1").steps], ensure_ascii=False
    )
    assert "\x1b" not in everything
    assert "\u202e" not in everything
    assert "- keep: `twin\\u202e\\n`" in desk.runtime.get_artifact("dupes-1", REPORT).decode()
