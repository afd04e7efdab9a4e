"""The cycle as a state machine: whatever happens in whatever order, with a crash at any
failpoint, the descriptor is what its log says and no holder of an old claim writes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dalhc.clock import at, now_ms
from dalhc.db import failpoints
from dalhc.db.failpoints import NAMES, Failpoint
from descriptors import services
from processes.journal.errors import Fenced
from processes.models import Step
from tests.descriptors import making
from tests.making import append, make_process, principal_actor

pytestmark = pytest.mark.django_db(transaction=True)

PROVE = bool(os.environ.get("PROVE"))
LEASE_S = 60


class Died(BaseException):
    """What a failpoint does to its runtime here: nothing after it happens."""


class Cycle(RuleBasedStateMachine):
    @initialize()
    def sleeps(self) -> None:
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.now = now_ms()
        with self.clock():
            self.made = make_process(running=True)
            making.sleep(self.made, making.timer(self.now + 1_000), making.on("explicit", "go"))
        self.epoch: int | None = None  # of the holder, as far as it knows
        self.stale: list[int] = []
        self.until = 0
        self.kept = 0
        self.args = 0

    def teardown(self) -> None:
        if hasattr(self, "outer"):
            transaction.set_rollback(True)
            self.outer.__exit__(None, None, None)

    @contextlib.contextmanager
    def clock(self) -> Iterator[None]:
        with at(self.now):
            yield

    @rule(seconds=st.sampled_from((1, 5, LEASE_S - 1, LEASE_S + 1)))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds * 1_000

    @rule()
    def a_signal_comes(self) -> None:
        with self.clock():
            making.signal("go", kind="explicit")

    @rule()
    def a_person_wakes_it(self) -> None:
        with self.clock():
            services.wake(self.made.id, by=principal_actor())

    @rule()
    def someone_claims(self) -> None:
        with self.clock():
            found = making.claim(ttl_s=LEASE_S).wakes
        if not found:
            return
        assert self.now >= self.until, "owned twice"
        self.lose()
        self.epoch = found[0].row.host.lease_epoch
        assert self.epoch not in self.stale
        self.until = self.now + LEASE_S * 1_000

    @precondition(lambda self: self.epoch is not None)
    @rule(point=st.none() | st.sampled_from(NAMES))
    def the_holder_steps(self, point: Failpoint | None) -> None:
        self.args += 1
        kept = self.dies_at(point, lambda: self.step(self.args))
        if kept or point == "after_append_commit":
            self.kept += 1

    @precondition(lambda self: self.epoch is not None and self.args)
    @rule()
    def a_step_is_sent_again(self) -> None:
        """After a crash nobody knows whether it was kept: the same call, and one row."""
        before = Step.objects.filter(process_id=self.made.id).count()
        with self.clock():
            done = self.step(self.args)
        self.kept += not done.skipped
        after = Step.objects.filter(process_id=self.made.id).count()
        assert after == before + (not done.skipped)

    @precondition(lambda self: self.epoch is not None)
    @rule(point=st.none() | st.sampled_from(NAMES), soon=st.booleans())
    def the_holder_commits(self, point: Failpoint | None, soon: bool) -> None:
        on = making.timer(self.now + 2_000 if soon else making.FAR)
        epoch = self.epoch
        go = making.on("explicit", "go")
        if self.dies_at(point, lambda: making.commit(self.made, epoch or 0, on, go)):
            self.lose()
            self.until = 0

    @precondition(lambda self: self.epoch is not None)
    @rule()
    def the_holder_gives_back(self) -> None:
        with self.clock():
            making.give_back(self.made, self.epoch or 0)
        self.lose()
        self.until = 0

    @precondition(lambda self: self.epoch is not None)
    @rule()
    def the_holder_is_killed(self) -> None:
        self.lose()

    @precondition(lambda self: self.overtaken())
    @rule()
    def an_old_holder_writes_late(self) -> None:
        for write in (
            lambda: append(self.made, args={"late": 1}, lease_epoch=self.stale[0]),
            lambda: making.commit(self.made, self.stale[0]),
            lambda: making.give_back(self.made, self.stale[0]),
        ):
            with self.clock(), pytest.raises(Fenced):
                write()

    @rule()
    def the_tables_are_lost_and_made_again(self) -> None:
        with self.clock():
            services.rebuild()

    @invariant()
    def the_descriptor_is_what_its_log_says(self) -> None:
        if hasattr(self, "made"):
            assert services.check() == []

    @invariant()
    def every_step_that_was_kept_is_there(self) -> None:
        if hasattr(self, "made"):
            assert Step.objects.filter(process_id=self.made.id).count() == self.kept

    def step(self, number: int) -> Any:
        return append(self.made, args={"n": number}, lease_epoch=self.epoch)

    def overtaken(self) -> bool:
        """Whether another has claimed since an old holder fell silent."""
        return bool(self.stale) and self.made.row.host.lease_epoch > self.stale[0]

    def lose(self) -> None:
        if self.epoch is not None:
            self.stale.append(self.epoch)
        self.epoch = None

    def dies_at(self, point: Failpoint | None, work: Callable[[], Any]) -> bool:
        """Whether the work was done to its end; a holder that died knows no epoch any more."""

        def die(reached: Failpoint) -> None:
            if reached == point:
                raise Died

        failpoints.hook = die
        try:
            with self.clock(), transaction.atomic():
                work()
        except Died:
            self.lose()
            return False
        finally:
            failpoints.hook = None
        return True


def test_no_order_of_wakes_and_crashes_puts_a_descriptor_ahead_of_its_log():
    run_state_machine_as_test(
        Cycle,
        settings=settings(
            max_examples=500 if PROVE else 25,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
