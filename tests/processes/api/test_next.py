"""What to do next: a pure read, answered at once unless a person is needed."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connections

from dalhc import bell
from processes.models import Process
from tests.making import make_process
from tests.processes.api.callers import Caller, code, everything


@pytest.mark.parametrize(
    ("made", "action", "held"),
    [
        ({}, "continue", False), ({"running": True}, "continue", False),
        ({"question": "?"}, "needs_answer", False), ({"reason": "guard"}, "continue", True),
        ({"reason": "unverified"}, "continue", True),
        ({"reason": "step_budget"}, "continue", False),
        ({"reason": "wall_clock"}, "continue", False),
        ({"reason": "wall_clock", "hold": True}, "continue", True),
        ({"ended": "completed"}, "terminal", False), ({"ended": "failed"}, "terminal", False),
    ],
)  # fmt: skip
def test_what_is_next_in_every_state(runtime, made, action, held):
    one = make_process(**made)
    before = everything()
    body = runtime.get(f"processes/{one.id}/next").json()
    assert (body["next_action"], body["held"], body["decided"]) == (action, held, False)
    assert body["suspension"] == (one.suspension_id or None)
    assert everything() == before


def test_an_unknown_state_is_never_permission_to_go_on(runtime):
    made = make_process(running=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("processes.store.rows.State._value2member_map_", {})
        for path in (f"processes/{made.id}/next", f"processes/{made.id}"):
            assert code(runtime.get(path)) == (422, "unknown_state")
    assert Process.objects.get().state == "running"


@pytest.mark.parametrize("made", [{}, {"running": True}, {"ended": "failed"}])
def test_whoever_need_not_wait_is_answered_at_once(runtime, made):
    one = make_process(**made)
    begun = time.monotonic()
    assert runtime.get(f"processes/{one.id}/next?wait=30").status_code == 200
    assert time.monotonic() - begun < 5


def test_a_wait_ends_with_its_time(runtime):
    one = make_process(question="?")
    for query, header in (("?wait=1", {}), ("", {"Prefer": "respond-async, wait=1"})):
        begun = time.monotonic()
        body = runtime.get(f"processes/{one.id}/next{query}", **header).json()
        assert body["next_action"] == "needs_answer"
        assert time.monotonic() - begun >= 0.9


@pytest.mark.parametrize("wait", ["-1", "31", "x", "", "1.5", "1e1", "9" * 20])
def test_an_odd_wait_is_refused(runtime, wait):
    one = make_process(question="?")
    assert code(runtime.get(f"processes/{one.id}/next?wait={wait}")) == (422, "invalid_request")


@pytest.mark.django_db(transaction=True)
def test_a_waiter_is_woken_by_the_decision(runtime, mia):
    stop = runtime.ask(runtime.open(id="asks")["id"])
    told: list[dict[str, object]] = []

    def wait() -> None:
        told.append(Caller(runtime.key).get("processes/asks/next?wait=30").json())
        connections.close_all()

    waiter = threading.Thread(target=wait)
    waiter.start()
    deadline = time.monotonic() + 20
    while bell.waiters() == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    begun = time.monotonic()
    mia.decide(stop, answer="eu")
    waiter.join(20)
    assert time.monotonic() - begun < 5
    assert [(one["next_action"], one["decided"]) for one in told] == [("continue", True)]
