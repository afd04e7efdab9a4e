"""What could not be settled is tried again later, and a failing storage is nobody's item."""

from __future__ import annotations

import pytest

from dalhc import clock
from dalhc.db.refusals import Busy, StorageFull, Unreachable
from processes.journal.errors import CorruptRecord
from processes.services import housekeeping


def due(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def expire(suspension_id: str) -> None:
        raise error

    monkeypatch.setattr(housekeeping, "expire", expire)
    monkeypatch.setattr(housekeeping.attention, "expired", lambda now, most: ["susp_1"])
    monkeypatch.setattr(housekeeping.attention, "awake", lambda now, most: [])
    monkeypatch.setattr(housekeeping.attention, "next_moment", lambda: 1)


def test_what_was_left_is_not_tried_again_at_once(monkeypatch):
    due(monkeypatch, CorruptRecord("x"))
    moment = housekeeping.sweep()
    assert moment is not None and moment > clock.now_ms() + 1000


@pytest.mark.parametrize("kind", [Busy, StorageFull, Unreachable])
def test_a_failing_storage_ends_the_sweep(monkeypatch, kind):
    due(monkeypatch, kind())
    with pytest.raises(kind):
        housekeeping.sweep()
