"""The report and the table."""

from __future__ import annotations

import csv
import io

from dalhc.client.agent.groups import Group
from dalhc.client.agent.listing import File
from dalhc.client.agent.questions import Choice
from dalhc.client.agent.report import markdown, summary, table
from dalhc.client.agent.walk import Walked

PAIR = Group("ab" * 32, 84_000, ("a/invoice.pdf", "b/invoice.pdf"))
OTHER = Group("cd" * 32, 10, ("x", "y", "z"))
WALKED = Walked(files=[File("a", 1), File("empty", 0)], folders=3, links=1, notes=["a note"])
CHOICES = [
    Choice(PAIR, "keep", "b/invoice.pdf"),
    Choice(OTHER, "undecided", note="declined: ?"),
]


def test_the_report_says_what_was_found_decided_and_left_out():
    text = markdown("/home/mia/Documents", WALKED, CHOICES)
    assert text.splitlines() == [
        "# Duplicate files",
        "",
        "Folder: `/home/mia/Documents`",
        "",
        "2 files in 3 folders looked at; 2 groups of duplicates found, 1 decided. "
        "Removing the copies not kept would free 84 kB.",
        "Nothing was deleted, moved or changed.",
        "",
        "## 1. 2 × 84 kB: keep",
        "",
        "- duplicate: `a/invoice.pdf`",
        "- keep: `b/invoice.pdf`",
        "",
        f"SHA-256 `{PAIR.sha256}`",
        "",
        "## 2. 3 × 10 bytes: undecided (declined: ?)",
        "",
        "- undecided: `x`",
        "- undecided: `y`",
        "- undecided: `z`",
        "",
        f"SHA-256 `{OTHER.sha256}`",
        "",
        "## Left out",
        "",
        "- 1 empty file",
        "- 1 symbolic link",
        "- a note",
    ]


def test_nothing_found_is_said_in_a_sentence():
    assert summary(WALKED, []) == "2 files in 3 folders looked at; no duplicates found."
    assert "Nothing was deleted" in markdown("/x", Walked(), [])


def test_a_name_is_never_markup():
    odd = Group("0" * 64, 1, ("`rm` ``x``", "\n# Heading\n<script>"))
    text = markdown("/x", Walked(), [Choice(odd, "keep all")])
    assert "- keep: ``` `rm` ``x`` ```" in text
    assert "- keep: `\\n# Heading\\n<script>`" in text


def test_a_very_long_list_of_notes_ends_in_a_count():
    text = markdown("/x", Walked(notes=[f"note {n}" for n in range(1_000)]), [])
    assert "- note 199\n- 800 more notes\n" in text


def test_the_table_has_a_row_per_file():
    rows = list(csv.reader(io.StringIO(table(CHOICES), newline="")))
    assert rows[0] == ["group", "decision", "file", "bytes", "sha256", "note"]
    assert rows[1] == ["1", "duplicate", "a/invoice.pdf", "84000", PAIR.sha256, ""]
    assert rows[2][1] == "keep"
    assert [row[1] for row in rows[3:]] == ["undecided"] * 3
    assert rows[3][5] == "declined: ?"


def test_a_cell_is_never_a_formula():
    paths = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "fine")
    rows = list(csv.reader(io.StringIO(table([Choice(Group("0" * 64, 1, paths), "keep all")]))))
    cells = [row[2] for row in rows[1:]]
    assert cells[:4] == ["'=cmd|' /C calc'!A0", "'+1", "'-1", "'@SUM(A1)"]
    assert cells[4:] == ["\\tx", "\\rx", "fine"]
