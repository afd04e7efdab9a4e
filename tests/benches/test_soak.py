"""A line that rises is seen, and one that does not is not."""

from __future__ import annotations

import random

import pytest

from benches.soak import Soaked, slope, told


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benches.common.keep", lambda *_: None)


def soaked(*, mib_per_hour: float = 0.0, slower: float = 1.0) -> Soaked:
    """Half an hour, with the noise of a machine."""
    chance = random.Random(1)
    at = [5.0 * n for n in range(360)]
    mib = [120 + mib_per_hour * second / 3600 + chance.uniform(-2, 2) for second in at]
    p50 = [2 * (1 + (slower - 1) * second / at[-1]) * chance.uniform(0.9, 1.1) for second in at]
    return Soaked(at, mib, p50, p50, 1000)


def test_the_slope_is_that_of_the_line() -> None:
    assert slope([0, 1, 2, 3], [5, 7, 9, 11]) == pytest.approx(2)
    assert slope([0, 1, 2], [4, 4, 4]) == 0


def test_flat_is_flat() -> None:
    assert told(30, 100, soaked()) == 0


@pytest.mark.parametrize(
    "found", [soaked(mib_per_hour=80), soaked(slower=2)], ids=["leaks", "slows"]
)
def test_what_leaks_or_slows_down_is_told(found: Soaked) -> None:
    assert told(30, 100, found) == 1
