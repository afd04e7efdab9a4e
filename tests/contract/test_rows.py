"""Every row of the contract has a test that is named after it, so that none is forgotten."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROWS = (TESTS / "contract/rows.txt").read_text().split()
SECTIONS = {
    "R": 23, "O": 14, "A": 33, "U": 12, "N": 20, "K": 12, "F": 20, "B": 12, "D": 22, "W": 20,
    "C": 9, "M": 20,
}  # fmt: skip


def named(text: str) -> set[str]:
    """The rows that the names of tests begin with: one, or several."""
    found = set()
    for name in re.findall(r"^ *(?:async )?def test_(\w+)", text, re.MULTILINE):
        for part in name.upper().split("_"):
            if not re.fullmatch(r"[A-Z]\d\d", part):
                break
            found.add(part)
    return found


def test_each_row_is_listed_once_and_none_is_left_out():
    assert Counter(row[0] for row in ROWS) == SECTIONS
    assert [
        f"{section}{number:02}"
        for section, count in SECTIONS.items()
        for number in range(1, count + 1)
    ] == ROWS


def test_each_row_has_a_test_of_its_name():
    tested = set()
    for path in TESTS.rglob("test_*.py"):
        tested |= named(path.read_text())
    assert [row for row in ROWS if row not in tested] == []


def test_a_name_counts_for_the_rows_it_begins_with_and_no_other():
    text = "def test_A18_A32_a_kill_leaves_b12():\n    def test_d01_x(): ...\ntest_D02_y = 1\n"
    assert named(text) == {"A18", "A32", "D01"}
