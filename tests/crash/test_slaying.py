"""A server and its clients killed at random over real HTTP. `make prove` kills a thousand."""

from __future__ import annotations

import pytest

from tests.crash.proof import PROVING, keep, seed, told_by

pytestmark = pytest.mark.sqlite

KILLS = 1_000 if PROVING else 20


def test_K10_server_and_clients_killed_at_random_lose_and_double_nothing(new_home):
    chance = seed()
    told = told_by(new_home(), "tests.crash.slaying", str(KILLS), str(chance))
    assert told["kills"] == KILLS
    assert told["told"] > 5 * KILLS
    assert told["lives"] >= KILLS // 10
    keep("slaying", seed=chance, lost=0, doubled=0, **told)
