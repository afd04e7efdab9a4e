"""What could not be settled is tried again later, and a failing storage is nobody's item."""

from __future__ import annotations

import pytest

from dalhc import clock
from dalhc.db import writer
from dalhc.db.refusals import Busy, StorageFull, Unreachable
from processes.journal.errors import CorruptRecord
from processes.services import housekeeping
from tests.chain import assert_chain
from tests.processes.services.test_expiry import asking
from tests.processes.services.test_races import at_once


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


@pytest.mark.django_db(transaction=True)
def test_several_servers_that_sweep_at_once_settle_each_expiry_once():
    """Each server keeps house; none is chosen for it."""
    made = [asking(question=f"Which, {number}?") for number in range(20)]
    writer.start()
    try:
        found = at_once([housekeeping.sweep] * 4)
    finally:
        writer.stop()
    assert not [one for one in found if isinstance(one, Exception)]
    for one in made:
        assert one.kinds == ["open", "resume", "suspend", "expire"]
        assert_chain(one.id)
