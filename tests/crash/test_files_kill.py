"""Files and mirror survive kill -9 during watch, import and write-back."""

from __future__ import annotations

from tests.crash.proof import PROVING, keep, told_by

KILLS = 200 if PROVING else 20


def test_K10_M19_no_torn_file_no_lost_answer_no_partial_row(tmp_path):
    told = told_by(tmp_path / "home", "tests.crash.mirroring", str(KILLS), str(tmp_path))
    assert told["kills"] == KILLS
    assert told["acknowledged"] >= KILLS // 4
    keep("mirroring", **told)
