"""Agents whose runtime is ended by kill -9 at each failpoint of a wake, or paused past its
lease. `make prove` does it ten times as often.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalhc.db import failpoints
from dalhc.db.failpoints import NAMES
from tests.crash.proof import PROVING, keep, told_by
from tests.crash.test_kill import ROOT, environment

pytestmark = pytest.mark.database

TIMES = 10 if PROVING else 1


def waking(home: Path, what: str, count: int) -> dict[str, Any]:
    told = told_by(home, "tests.crash.waking", what, str(count))
    check = subprocess.run(
        [sys.executable, "manage.py", "descriptors", "check"],
        cwd=ROOT, env=environment(home), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert check.returncode == 0, check.stderr
    keep(f"waking-{what}", times=count, **told)
    return told


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Ten killed at each failpoint, and each claimed again."""
    return waking(tmp_path_factory.mktemp("killed"), "kill", 10 * TIMES)


def left(steps: int, recovery: str) -> list[dict[str, Any]]:
    """The one state all of a failpoint's dead are found in."""
    return [{"steps": steps, "recovery": recovery, "interrupted": True, "epoch": 2}]


def test_w09_a_crash_at_a_failpoint_always_leaves_the_same_state(killed):
    assert set(killed["left"]) == set(NAMES)
    assert {name: len(states) for name, states in killed["left"].items()} == dict.fromkeys(
        NAMES, 1
    )


def test_w08_a_crash_in_each_gap_leaves_the_log_first_and_the_descriptor_last(killed):
    gaps = ("after_append_commit", "after_session_flush", "after_wait_commit")
    assert [killed["left"][gap] for gap in gaps] == [left(2, "rebuild")] * 3


def test_c01_a_crash_before_the_model_call_wakes_again_from_the_unchanged_descriptor(killed):
    assert killed["left"]["after_claim"] == left(1, "keep")


def test_c02_a_turn_that_was_cut_off_is_closed_as_interrupted_once(killed):
    assert killed["left"]["mid_stream"] == left(1, "keep")


def test_c03_a_result_that_was_not_committed_is_not_there_and_is_recorded_once_later(killed):
    assert killed["left"]["before_append_commit"] == left(1, "keep")


def test_c05_a_recorded_result_of_an_open_turn_stays(killed):
    assert killed["left"]["after_append_commit"] == left(2, "rebuild")


def test_c06_a_descriptor_behind_its_log_gives_way_and_a_second_dispatch_adds_no_row(killed):
    assert killed["left"]["after_session_flush"] == left(2, "rebuild")


def test_nothing_is_stuck_longer_than_its_lease_and_a_second(killed):
    assert 0 <= killed["late_ms"] <= 1_000


def test_no_agent_was_owned_twice(killed):
    assert killed["overlaps"] == 0


def test_fifty_pauses_past_the_lease_leave_no_stale_write(tmp_path):
    paused = waking(tmp_path, "pause", 50 * TIMES)
    assert paused == {"said": ["fenced"], "changed": 0, "overlaps": 0}


def test_the_failpoints_are_out_of_reach_outside_tests():
    assert failpoints.hook is None
    for package in ("dalhc", "processes", "descriptors"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text()
            assert "failpoints.hook" not in text, path
    assert "environ" not in Path(failpoints.__file__).read_text()
