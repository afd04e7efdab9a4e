"""Expiry lets another try; the epoch protects."""

from __future__ import annotations

import pytest

from processes.journal import fence, limits
from processes.journal.errors import Fenced, Leased

NOW = 1_000


@pytest.mark.parametrize("given", [None, 0])
def test_before_the_first_lease_no_epoch_is_needed(given):
    fence.check(0, given)


@pytest.mark.parametrize(("current", "given"), [(1, None), (2, 1), (1, 2), (1, 0), (0, 1)])
def test_a_missing_or_another_epoch_is_fenced(current, given):
    with pytest.raises(Fenced) as refused:
        fence.check(current, given)
    assert refused.value.current == {"lease_epoch": current}


def test_the_current_epoch_may_write():
    fence.check(3, 3)


def test_the_first_claim_gets_epoch_one():
    assert fence.claim(0, None, None, "a", NOW) == 1


def test_a_lapsed_lease_is_claimed_with_the_next_epoch():
    assert fence.claim(4, "a", NOW, "b", NOW) == 5


def test_an_owner_whose_lease_has_lapsed_gets_a_new_epoch_too():
    assert fence.claim(4, "a", NOW - 1, "a", NOW) == 5


def test_a_released_lease_is_claimed_with_the_next_epoch():
    assert fence.claim(4, None, None, "a", NOW) == 5


def test_ones_own_living_claim_comes_back():
    assert fence.claim(4, "a", NOW + 1, "a", NOW) == 4


def test_a_lease_from_before_the_clock_went_back_is_not_waited_for():
    day, hour = 86_400_000, limits.LEASE_SECONDS * 1000
    assert fence.claim(4, "a", NOW + day, "b", NOW) == 5
    with pytest.raises(Leased):
        fence.claim(4, "a", NOW + hour, "b", NOW)


def test_whoever_still_holds_it_then_goes_on_until_another_claims():
    fence.renew(4, 4, NOW + 86_400_000, NOW)


def test_anothers_living_claim_is_refused_and_says_who_holds_it():
    with pytest.raises(Leased) as refused:
        fence.claim(4, "a", NOW + 1, "b", NOW)
    assert refused.value.current == {"owner": "a", "lease_until_ms": NOW + 1}


def test_a_heartbeat_renews_its_own_living_lease():
    fence.renew(4, 4, NOW + 1, NOW)


@pytest.mark.parametrize(("given", "until"), [(3, NOW + 1), (4, NOW), (4, NOW - 1), (4, None)])
def test_a_heartbeat_never_revives_a_lapsed_lease_nor_renews_anothers(given, until):
    with pytest.raises(Fenced):
        fence.renew(4, given, until, NOW)
