"""The last so many are at hand, and nobody else."""

from __future__ import annotations

from dalhc.db.lately import Lately


def test_the_one_that_was_put_longest_ago_is_forgotten():
    lately: Lately[str, int] = Lately(2)
    for number, key in enumerate("abac"):
        lately.put(key, number)
    assert [lately.get(key) for key in "abc"] == [2, None, 3]


def test_all_are_forgotten_together():
    lately: Lately[str, int] = Lately(2)
    lately.put("a", 1)
    lately.clear()
    assert lately.get("a") is None
