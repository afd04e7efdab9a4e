"""Ended with kill -9 before each single write of a whole life. `make prove` takes every one."""

from __future__ import annotations

import pytest

from tests.crash.proof import PROVING, keep, seed, told_by

pytestmark = [pytest.mark.sqlite, pytest.mark.needs("strace")]

POINTS = 0 if PROVING else 12


def test_K10_a_death_before_any_write_loses_nothing_told_and_the_life_goes_on(new_home):
    chance = seed()
    told = told_by(new_home(), "tests.crash.striking", str(POINTS), str(chance))
    assert told["points"] > 150
    assert told["struck"] == (POINTS or told["points"])
    assert told["killed"] >= 0.9 * told["struck"]
    keep("strike", seed=chance, **told)
