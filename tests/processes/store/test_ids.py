"""Ids the server mints are valid, unique, and in the order they were minted."""

from __future__ import annotations

import time
import uuid

from processes.journal.paths import is_process_id
from processes.store import ids


def test_a_minted_id_is_a_process_id_and_a_uuid_of_version_7():
    minted = ids.mint("proc")
    assert is_process_id(minted)
    value = uuid.UUID(minted.removeprefix("proc_"))
    assert (value.version, value.variant) == (7, uuid.RFC_4122)
    assert abs((value.int >> 80) - time.time() * 1000) < 5_000


def test_ten_thousand_ids_are_ten_thousand():
    assert len({ids.mint("proc") for _ in range(10_000)}) == 10_000


def test_ids_minted_in_one_millisecond_are_in_their_order(monkeypatch):
    """The newest suspension of a process is found by (time, id)."""
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000_000_000)
    minted = [ids.mint("susp") for _ in range(1_000)]
    assert minted == sorted(minted)


def test_an_earlier_id_stands_before_all_that_were_minted_since_then():
    now = ids.mint("susp")
    assert ids.earlier(now, 1) < now < ids.mint("susp")
    assert ids.earlier(now, 5_000) < ids.earlier(now, 4_000) < now
    assert ids.earlier("susp_of_a_test", 5_000) == "susp_of_a_test"
