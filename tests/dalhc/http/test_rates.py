"""So many requests a second per key, and a second's wait told when there are more."""

from __future__ import annotations

import pytest

from dalhc.http import rates
from dalhc.http.problems import RateLimited
from dalhc.http.rates import Rates


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(rates, "time", made)
    return made


def taken(limit: Rates, key: bytes, most: int = 1000) -> int:
    """How many fit before one is refused."""
    for number in range(most):
        try:
            limit.take(key)
        except RateLimited:
            return number
    return most


def test_a_burst_fits_and_then_as_many_as_time_allows(clock):
    limit = Rates(10)
    assert taken(limit, b"a") == 20
    clock.now += 0.5
    assert taken(limit, b"a") == 5
    clock.now += 3600
    assert taken(limit, b"a") == 20


def test_whoever_is_refused_is_told_how_long(clock):
    limit = Rates(1)
    assert taken(limit, b"a") == 2
    with pytest.raises(RateLimited) as refused:
        limit.take(b"a")
    assert refused.value.retry_after == 1
    clock.now += refused.value.retry_after
    limit.take(b"a")


def test_one_key_does_not_slow_another(clock):
    limit = Rates(10)
    assert taken(limit, b"a") == 20
    assert taken(limit, b"b") == 20


def test_no_rate_is_no_limit(clock):
    assert taken(Rates(0), b"a") == 1000


def test_a_slow_rate_still_lets_one_through(clock):
    assert taken(Rates(0.1), b"a") == 1


def test_many_keys_take_bounded_room_and_free_nobody_who_was_refused(clock, monkeypatch):
    monkeypatch.setattr(rates, "MOST", 100)
    limit = Rates(10)
    assert taken(limit, b"greedy") == 20
    for number in range(1_000):
        clock.now += 0.0001
        limit.take(b"%d" % number)
        if number % 20 == 0:
            assert taken(limit, b"greedy") <= 1
    assert len(limit._buckets) <= 101
