"""Whatever happens in whatever order, with a crash at any failpoint, the descriptor is what its
log says, each wake is given once, and no holder of an old claim writes.

Rules taken away one at a time prove that the machine would see it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from dalhc.problems import Problem
from descriptors import services
from descriptors.contract import cycle, errors
from descriptors.models import SleeperRow
from descriptors.services import settling, signalling, sleeping
from processes.journal import fence
from processes.services import beside
from tests.descriptors.cycle import Cycle

pytestmark = pytest.mark.django_db(transaction=True)

PROVE = bool(os.environ.get("PROVE"))
EXAMPLES = int(os.environ.get("CYCLES") or (500 if PROVE else 25))
ALL = list(HealthCheck)

UNSHRUNK = settings(
    max_examples=100,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=ALL,
)

type Patch = pytest.MonkeyPatch


def test_no_order_of_wakes_and_crashes_puts_a_descriptor_ahead_of_its_log():
    run_state_machine_as_test(
        Cycle,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=ALL,
        ),
    )


def _taken(patch: Patch, refusal: type[Exception]) -> None:
    real = sleeping.check_place

    def lenient(*asked: Any) -> None:
        with contextlib.suppress(refusal):
            real(*asked)

    patch.setattr(sleeping, "check_place", lenient)


def a_commit_ahead_of_its_flush_is_taken(patch: Patch) -> None:
    _taken(patch, errors.AheadOfLog)


def a_stale_watermark_is_taken(patch: Patch) -> None:
    _taken(patch, errors.StaleWatermark)


def an_overtaken_holder_commits(patch: Patch) -> None:
    patch.setattr(beside, "check_epoch", lambda *_: None)


def an_overtaken_holder_takes_a_step(patch: Patch) -> None:
    patch.setattr(fence, "check", lambda *_: None)


def a_settled_condition_is_given_twice(patch: Patch) -> None:
    real = cycle._asleep

    def again(old: cycle.Sleeper, *said: Any) -> cycle.Sleeper:
        new = real(old, *said)
        if new.settled or not old.settled:
            return new
        return replace(new, settled=old.settled, due_at_ms=old.settled.at_ms)

    patch.setattr(cycle, "_asleep", again)


def a_later_condition_takes_the_place_of_the_first(patch: Patch) -> None:
    real = cycle.woken

    def last(old: cycle.Sleeper, by: Any, **how: bool) -> cycle.Sleeper:
        return real(replace(old, settled=None), by, **how)

    patch.setattr(cycle, "woken", last)


def a_decision_wakes_another_agent(patch: Patch) -> None:
    real = signalling.settle

    def astray(process_id: str, *said: Any) -> None:
        others = SleeperRow.objects.exclude(session_id=process_id)
        real(others.values_list("session_id", flat=True)[0], *said)

    patch.setattr(services, "settle", astray)


def a_decision_taken_back_still_wakes(patch: Patch) -> None:
    patch.setattr(cycle, "_taken_back", lambda old, _: old)


def a_signal_that_was_kept_is_forgotten(patch: Patch) -> None:
    patch.setattr(settling.signals, "take", lambda *_: None)


def _claims_are_due(patch: Patch, when: Callable[[int], int | None]) -> None:
    real = cycle._claimed

    def claimed(old: cycle.Sleeper, data: Any, at_ms: int, seq: int) -> cycle.Sleeper:
        return replace(real(old, data, at_ms, seq), due_at_ms=when(at_ms))

    patch.setattr(cycle, "_claimed", claimed)


def a_claim_is_given_to_two(patch: Patch) -> None:
    _claims_are_due(patch, lambda at_ms: at_ms)
    patch.setattr(beside, "is_leased", lambda *_: False)


def a_lapsed_claim_is_never_given_again(patch: Patch) -> None:
    _claims_are_due(patch, lambda _: None)


def a_row_is_written_without_its_event(patch: Patch) -> None:
    real = sleeping.sleepers.keep

    def ahead(agent: str, sleeper: cycle.Sleeper) -> None:
        real(agent, replace(sleeper, wakes=sleeper.wakes + 1))

    patch.setattr(sleeping.sleepers, "keep", ahead)


FAULTS: list[Callable[[Patch], None]] = [
    a_commit_ahead_of_its_flush_is_taken,
    a_stale_watermark_is_taken,
    an_overtaken_holder_commits,
    an_overtaken_holder_takes_a_step,
    a_settled_condition_is_given_twice,
    a_later_condition_takes_the_place_of_the_first,
    a_decision_wakes_another_agent,
    a_decision_taken_back_still_wakes,
    a_signal_that_was_kept_is_forgotten,
    a_claim_is_given_to_two,
    a_lapsed_claim_is_never_given_again,
    a_row_is_written_without_its_event,
]


class Quick(Cycle):
    """The walk without its look at the log after each act: most faults show in the acts."""

    def the_descriptor_is_what_its_log_says(self) -> None:
        return


@pytest.mark.sqlite  # what it sees is no matter of the database
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_machine_sees_when(fault, monkeypatch):
    """The same hundred walks find each: deterministic, and unshrunk to be quick. A refusal that
    the walk did not expect is a find too.
    """
    fault(monkeypatch)
    walk = Cycle if fault is a_row_is_written_without_its_event else Quick
    with pytest.raises((AssertionError, pytest.fail.Exception, Problem)):
        run_state_machine_as_test(walk, settings=UNSHRUNK)


@pytest.mark.sqlite
@pytest.mark.parametrize("walk", [Cycle, Quick])
def test_the_same_walks_see_nothing_where_no_rule_is_gone(walk):
    run_state_machine_as_test(walk, settings=UNSHRUNK)
