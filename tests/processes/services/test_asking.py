"""What is slow about a question is asked before its process is locked."""

from __future__ import annotations

import pytest

from dalhc.clock import now_ms
from processes import policy
from processes.shown import times
from processes.store import rows
from tests.making import make_process, suspend

pytestmark = pytest.mark.django_db


def test_a_default_is_tried_on_its_schema_before_any_lock(monkeypatch):
    order: list[str] = []

    def noted(name, work):
        return lambda *args, **more: (order.append(name), work(*args, **more))[1]

    made = make_process(running=True)
    monkeypatch.setattr(policy, "check_default", noted("tried", policy.check_default))
    monkeypatch.setattr(rows, "lock", noted("locked", rows.lock))
    suspend(
        made, question="How?", response_schema={"pattern": "^a"}, default_answer='"ab"',
        on_timeout="default", expires_at=times.iso(now_ms() + 3_600_000),
    )  # fmt: skip
    assert order == ["tried", "locked"]
