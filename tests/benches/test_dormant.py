"""The bench of sleeping agents, small: what it fills in are sleepers, and the floor has the
same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import dormant_rows
from benches.descriptors import OPERATIONS, Place
from descriptors.contract.record import parse

NUMBER = 60


@pytest.fixture
def place(tmp_path: Path):
    place = Place(NUMBER, tmp_path)
    yield place
    place.close()


def test_every_operation_hits_on_both_sides(place: Place):
    """A lookup that misses, or another number of rows, would have failed it."""
    for side in ("ours", "floor"):
        for operation in OPERATIONS.keys() - {"due"}:  # there are no fifty
            assert place.case(side, operation)().calls > 0
    assert 300 < place.disk_bytes < 20_000  # a few share whole pages
    assert place.memory_kib > 10_000


def test_what_is_filled_in_is_a_whole_descriptor():
    rows = list(dormant_rows.sleepers(range(8), 1_790_000_000_000, "0123456789abcdef:1"))
    listening = list(dormant_rows.listening(range(8), 1_790_000_000_000))
    for name, _, due_at_ms, text in rows:
        descriptor = parse(text)
        assert descriptor is not None
        assert (descriptor.session_id, descriptor.text) == (name, text)
        assert descriptor.timer_ms == due_at_ms
        told = {(name, one.kind, one.key) for one in descriptor.wake_conditions}
        assert {one for one in listening if one[0] == name} == {
            one for one in told if one[1] != "timer"
        }
