from __future__ import annotations

import pytest

from dalhc.http.problems import BadCursor
from processes.shown.place import Place, cursor


def test_a_place_is_read_as_it_was_given_out():
    assert Place.of({"after": cursor(12, "a.b")}) == Place(12, "a.b")
    assert Place.of({"before": cursor(12, "a.b")}) == Place(12, "a.b", is_backwards=True)
    assert Place.of({}) is None


@pytest.mark.parametrize("text", ["x", "1", "-1.a", "1.a b", "1.\n", "1.a\n", "1" * 17 + ".a"])
def test_any_other_is_refused(text):
    with pytest.raises(BadCursor):
        Place.of({"after": text})
