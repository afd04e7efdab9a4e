from __future__ import annotations

import re
from pathlib import Path

from processes.journal.record import INBOX_REASONS, Reason
from processes.shown import reasons

ROOT = Path(__file__).resolve().parents[3]


def test_every_reason_and_state_has_a_name_and_an_icon():
    marks = [*Reason, *reasons.STATES]
    icons = set(re.findall(r'<symbol id="(\w+)"', (ROOT / "static/icons.svg").read_text()))
    assert {reasons.name(mark) for mark in marks} >= {"Question", "Not started", "Running"}
    assert set(map(str, marks)) <= icons


def test_every_reason_of_the_inbox_has_a_place_and_an_empty_state():
    assert set(reasons.ORDER) == set(INBOX_REASONS) == set(reasons.NOBODY)


def test_an_unknown_word_stands_for_itself():
    assert reasons.name("paused") == "paused"
