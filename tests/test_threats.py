"""The threat model names tests that are there, and a control for every threat."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parents[1]
PAGE = (TOP / "docs" / "threat-model.md").read_text()
# The numbers are those of the plan; T6 and T7 were never given.
NUMBERS = {f"T{n}" for n in range(1, 26)} - {"T6", "T7"}


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if re.match(r"\| T\d+ \|", line)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_test_it_names_exists():
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    written = {
        name
        for path in (TOP / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    assert len(named) > 40
    assert named - written == set()


def test_every_threat_has_a_control_and_a_test():
    assert {number for number, *_ in rows()} >= NUMBERS
    for number, threat, by, control, tests in rows():
        assert threat and by and control, number
        assert re.fullmatch(r"(`test_\w+` ?)+", tests), number
