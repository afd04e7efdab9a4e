"""A power cut between any two writes: what was told is on the disk, in whatever order the disk
wrote the rest. `make prove` looks at ten thousand disks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crash import journaling, power, tracing
from tests.crash.proof import PROVING, keep, seed
from tests.crash.test_kill import ROOT, environment

pytestmark = [pytest.mark.sqlite, pytest.mark.needs("strace")]

STATES = 10_000 if PROVING else 300
LIVES = ("4", "4") if PROVING else ("2", "1")


def recording(home: Path, module: str, *words: str) -> power.Recording:
    """What this program does in its folder of data, as the disk is asked for it."""
    before, log = power.files_of(home), home.with_suffix(".trace")
    command = [sys.executable, "-m", module, *words]
    tracing.record(command, log, cwd=ROOT, env=environment(home))
    return power.Recording.read(log, home, before)


def lives(home: Path, *pragmas: str) -> power.Recording:
    """Some lives at once; with a short WAL, so that many a checkpoint is among them."""
    return recording(home, "tests.crash.lifecycle", *LIVES, "wal_autocheckpoint=40", *pragmas)


def test_K10_after_a_power_cut_at_any_moment_everything_told_is_there(new_home, tmp_path):
    chance = seed()
    recorded = lives(new_home())
    found = power.cut(recorded, STATES, power.look_at_database, tmp_path / "disk", chance)
    assert found.lost == []
    assert found.states >= STATES
    assert len(recorded.told) == int(LIVES[0]) * int(LIVES[1]) * 11
    keep("power", seed=chance, disks=found.states, moments=found.moments, told=found.told,
         lost=0)  # fmt: skip


def test_a_commit_that_is_not_flushed_is_found_to_lose_what_was_told(new_home, tmp_path):
    """The same with synchronous=NORMAL: a harness that finds nothing there finds nothing."""
    recorded = lives(new_home(), "synchronous=NORMAL")
    some = STATES // 3
    found = power.cut(recorded, some, power.look_at_database, tmp_path / "disk", seed())
    assert found.bad > some // 10
    assert {line.split()[0] for line in found.lost} >= {"step", "answer"}


@pytest.fixture(scope="module")
def journals(new_home: Callable[[], Path]) -> power.Recording:
    return recording(new_home(), "tests.crash.journaling", LIVES[1])


def cut_journals(recorded: power.Recording, disk: Path, chance: int) -> power.Found:
    all_told = recorded.told

    def look(folder: Path, told: list[str]) -> list[str]:
        return journaling.unlike(folder / journaling.FOLDER, told, all_told)

    return power.cut(recorded, STATES, look, disk, chance, below=journaling.FOLDER)


def test_K10_after_a_power_cut_each_journal_file_is_the_old_one_or_the_new(journals, tmp_path):
    chance = seed()
    found = cut_journals(journals, tmp_path / "disk", chance)
    assert found.lost == []
    assert found.states >= found.told
    keep("power-files", seed=chance, disks=found.states, moments=found.moments,
         told=found.told, lost=0)  # fmt: skip


def test_a_journal_that_is_not_flushed_is_found_to_be_lost_or_torn(journals, tmp_path):
    """The same calls without their flushes."""
    writes = [call for call in journals.calls if call.name not in tracing.FLUSHES]
    found = cut_journals(replace(journals, calls=writes), tmp_path / "disk", seed())
    assert {line.split(maxsplit=1)[1] for line in found.lost} >= {"is gone"}
    assert any("bytes that no verb wrote" in line for line in found.lost)
