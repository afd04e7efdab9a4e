"""What holds whatever happens: laws tried on random lives of a process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalhc import clock
from dalhc.problems import Problem
from processes import services
from processes.journal.commands import Complete, Fail, HoldLease, Stop, Suspend, TakeLease
from processes.journal.record import (
    TERMINAL,
    Action,
)
from processes.store import suspensions
from tests.chain import assert_chain
from tests.making import Made, append, choice, make_process, principal_actor, resume

pytestmark = pytest.mark.django_db
MANY = settings(max_examples=40, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture,
    HealthCheck.too_slow])  # fmt: skip
T = 2_000_000_000_000
PROPOSED = {"tool": "rm", "args": {"n": 1}}


class Life:
    """One process, and everything anybody may try to do with it."""

    def __init__(self) -> None:
        self.made = make_process()

    @property
    def current(self) -> Made:
        """With the newest suspension, if there was one."""
        stop = suspensions.latest(self.made.id)
        return Made(self.made.id, stop.id if stop else "none", self.made.agent)

    def epoch(self, wrong: bool) -> int | None:
        now = self.made.row.host.lease_epoch
        return now + 1 if wrong else now or None

    def suspend(self, reason: str, wrong: bool, **more: Any) -> object:
        question = {"question": "Which?"} if reason == "ask_user" else {}
        command = Suspend(reason=reason, lease_epoch=self.epoch(wrong), **question, **more)
        return services.suspend(self.made.id, command, by=self.made.by)

    def decide(self, action: str, **content: Any) -> object:
        made = self.current
        if made.suspension_id == "none":
            return services.take_back("none", by=principal_actor())
        return services.decide(
            made.suspension_id, choice(made, action, **content), by=principal_actor()
        )


VERBS: dict[str, Callable[[Life, int, bool], object]] = {
    "step": lambda life, n, bad: append(life.made, args={"n": n}, lease_epoch=life.epoch(bad)),
    "failed step": lambda life, n, bad: append(life.made, args={"n": n}, success=False),
    "denied step": lambda life, n, bad: append(life.made, "rm", args={"n": 1}),
    "ask": lambda life, n, bad: life.suspend("ask_user", bad),
    "hold": lambda life, n, bad: life.suspend("guard", bad, proposed_action=PROPOSED),
    "budget": lambda life, n, bad: life.suspend("step_budget", bad, hold=bad),
    "answer": lambda life, n, bad: life.decide("answer", answer=f"answer {n}"),
    "decline": lambda life, n, bad: life.decide("decline", note="no"),
    "approve": lambda life, n, bad: life.decide("approve"),
    "deny": lambda life, n, bad: life.decide("deny", note="no"),
    "take back": lambda life, n, bad: services.take_back(life.current.suspension_id,
        by=principal_actor()),
    "resume": lambda life, n, bad: resume(life.made, life.epoch(bad)),
    "ack": lambda life, n, bad: services.ack(life.current.suspension_id, by=life.made.by),
    "lease": lambda life, n, bad: services.lease(life.made.id, TakeLease(owner=f"boot-{n % 2}",
        ttl_s=1), by=life.made.by),
    "beat": lambda life, n, bad: services.heartbeat(life.made.id,
        HoldLease(lease_epoch=life.epoch(bad) or 0), by=life.made.by),
    "complete": lambda life, n, bad: services.complete(life.made.id,
        Complete(lease_epoch=life.epoch(bad)), by=life.made.by),
    "fail": lambda life, n, bad: services.fail(life.made.id, Fail(lease_epoch=life.epoch(bad)),
        by=life.made.by),
    "stop": lambda life, n, bad: services.stop(life.made.id, Stop(note="no"),
        by=principal_actor()),
}  # fmt: skip
RARE = ("complete", "fail", "stop", "decline", "beat")
verbs = st.sampled_from([verb for verb in VERBS if verb not in RARE] * 3 + list(RARE))
lives = st.lists(
    st.tuples(verbs, st.integers(0, 4), st.booleans(), st.integers(-3, 5_000)), max_size=25
)


def live(
    plan: list[tuple[str, int, bool, int]],
    check: Callable[..., None] = lambda *_: None,
    end: Callable[[Life], None] = lambda _: None,
) -> None:
    """Try one verb after the other on a clock that may go back. `check` sees each, before and
    after; `end` sees what became of it.
    """
    with transaction.atomic():
        now = T
        with clock.at(now):
            life = Life()
        for verb, number, bad, passed in plan:
            now += passed
            before, refusal = life.made.columns, None
            action = services.next_step(life.made.id, by=life.made.by)
            with clock.at(now):
                try:
                    result = VERBS[verb](life, number, bad)
                except Problem as problem:
                    result, refusal = None, problem
            check(life, verb, before, action, result, refusal)
        assert_chain(life.made.id)
        end(life)
        transaction.set_rollback(True)


@MANY
@given(lives)
def test_every_refusal_leaves_everything_as_it_was(plan):
    def check(life, verb, before, action, result, refusal):
        if refusal is not None:
            assert life.made.columns == before, (verb, refusal.code)

    live(plan, check)


@MANY
@given(lives)
def test_a_finished_process_never_moves(plan):
    def check(life, verb, before, action, result, refusal):
        if before["state"] in TERMINAL:
            assert life.made.columns == before
            assert action.next_action is Action.TERMINAL

    live([*plan, ("complete", 0, False, 1), *plan[:8]], check)


@MANY
@given(lives)
def test_next_action_and_resume_are_the_same_decision(plan):
    def check(life, verb, before, action, result, refusal):
        if verb != "resume" or (refusal is not None and refusal.code == "fenced"):
            return
        if refusal is not None:
            assert (refusal.code, action.held) == ("approval_required", True)
            assert action.next_action is Action.CONTINUE
        else:
            assert result.result is action.next_action
            assert not (action.held and before["state"] == "suspended")

    live([*plan, ("resume", 0, False, 1)], check)


@MANY
@given(lives)
def test_time_and_the_log_only_go_forward(plan):
    def check(life, verb, before, action, result, refusal):
        after = life.made.columns
        moved = after["revision"] - before["revision"]
        assert moved in {0, 1}
        assert after["updated_at_ms"] >= before["updated_at_ms"]
        assert after["created_at_ms"] == before["created_at_ms"]
        assert after["lease_epoch"] >= before["lease_epoch"]
        if not moved:
            changed = {name for name in after if after[name] != before[name]}
            assert changed <= {"skipped", "lease_until_ms"}

    live(plan, check)


@MANY
@given(lives)
def test_the_log_tells_how_the_head_came_to_be(plan):
    """A machine of a dozen lines, fed with nothing but events, ends where the row is."""

    def end(life):
        told: dict[str, Any] = {
            "state": "suspended",
            "steps": 0,
            "reason": "opened",
            "decided": False,
        }
        for event in assert_chain(life.made.id):
            data = json.loads(event.data)
            match event.kind:
                case "step":
                    told["steps"] += 1
                case "suspend":
                    told |= {"state": "suspended", "reason": data["reason"], "decided": False}
                case "resume":
                    told |= {"state": "running", "reason": None, "decided": False}
                case "decide" | "take_back":
                    told["decided"] = event.kind == "decide"
                case "finish":
                    told |= {"state": data["state"], "reason": None, "decided": False}
        row = life.made.columns
        assert told == {
            "state": row["state"], "steps": row["steps_used"], "reason": row["suspend_reason"],
            "decided": row["decided"],
        }  # fmt: skip

    live(plan, end=end)


@MANY
@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30),
    st.randoms(use_true_random=False),
)
def test_a_success_is_stored_once_whatever_the_order_of_replays(calls, shuffle):
    with transaction.atomic():
        made = make_process(running=True)
        stored: list[tuple[int, bool]] = []
        again = [*calls, *shuffle.sample(calls, len(calls))]
        for number, success in again:
            done = append(made, args={"n": number}, success=success)
            assert done.skipped == ((number, True) in stored)
            if not done.skipped:
                stored.append((number, success))
        told = [(json.loads(step.args)["n"], step.success) for step in made.record.steps]
        assert told == stored
        assert made.record.steps_used == len(stored)
        transaction.set_rollback(True)
