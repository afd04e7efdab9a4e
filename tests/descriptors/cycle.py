"""The cycle as a state machine beside a model of it: who sleeps on what, what has settled, who
holds the claim, and what a person decided; with a crash at any failpoint.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from dalhc.clock import at, now_ms
from dalhc.db.failpoints import Failpoint
from descriptors import services
from descriptors.contract import errors
from descriptors.contract.commands import Commit
from processes import services as runs
from processes.journal.commands import HoldLease
from processes.journal.errors import Fenced
from processes.models import Step
from tests.descriptors import making
from tests.descriptors.dying import LATER, dying
from tests.descriptors.model import GO, Model
from tests.making import Made, append, decide, make_process, principal_actor, resume, suspend

LEASE_S = 60

type Act = Callable[[st.DataObject], None]
_AT_APPEND: tuple[Failpoint, ...] = (
    "mid_stream",
    "before_append_commit",
    "after_append_commit",
)
_AT_COMMIT: tuple[Failpoint, ...] = ("after_session_flush", "after_wait_commit")


class Cycle(RuleBasedStateMachine):
    """One agent, its runtimes and its person; and a bystander that only an answer wakes."""

    @initialize(asks=st.booleans())
    def sleeps(self, asks: bool) -> None:
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.now = now_ms()
        self.model = Model(self.now + 1_000)
        self.epoch: int | None = None  # of the holder, as far as it knows
        self.stale: list[int] = []
        self.kept = self.args = 0
        self.stop: Made | None = None
        self.is_decided = self.is_bystander_answered = False
        with self.clock():
            self.made = make_process(running=True)
            conditions = [making.timer(self.model.timer), making.on(*GO)]
            if asks:
                self.stop = suspend(self.made, question="Begin?")
                self.model.human = self.stop.suspension_id
                conditions.append(making.on("human", self.stop.suspension_id))
            making.sleep(self.made, *conditions)
            self.bystander = make_process(question="Me?", agent="painter")
            making.sleep(self.bystander, making.on("human", self.bystander.suspension_id))

    def teardown(self) -> None:
        if hasattr(self, "outer"):
            transaction.set_rollback(True)
            self.outer.__exit__(None, None, None)

    @contextlib.contextmanager
    def clock(self) -> Iterator[None]:
        with at(self.now):
            yield

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        """One rule for all: with many, most walks leave out those that make others possible."""
        may = [*self.holding() * 3, self.someone_claims, *self.outside(), self.time_passes]
        data.draw(st.sampled_from(may))(data)

    def outside(self) -> list[Act]:
        """What may happen without a holder, as things stand."""
        may: list[Act] = [
            self.a_signal_comes, self.a_person_wakes_it, self.someone_claims_the_bystander,
            self.the_tables_are_lost_and_made_again,
        ]  # fmt: skip
        if self.stop:
            act = self.a_person_takes_it_back if self.is_decided else self.a_person_answers
            may += [act] * 3
        if not self.is_bystander_answered:
            may += [self.the_bystander_is_answered]
        return may + [self.an_old_holder_writes_late] * self.overtaken()

    def holding(self) -> list[Act]:
        """What a runtime that has a claim may do, as things stand."""
        if self.epoch is None:
            return []
        told = [self.the_holder_is_told_the_answer] * self.is_decided
        runs = [self.the_holder_asks, self.the_holder_steps, self.a_step_is_sent_again]
        return [
            self.the_holder_commits, self.the_holder_gives_it_back, self.the_holder_is_killed,
            self.a_commit_names_a_place_that_is_not_its_own, *(told if self.stop else runs),
        ]  # fmt: skip

    def time_passes(self, data: st.DataObject) -> None:
        self.now += data.draw(st.sampled_from((1, 5, LEASE_S - 1, LEASE_S + 1))) * 1_000

    def a_signal_comes(self, _: st.DataObject) -> None:
        with self.clock():
            reached = making.signal("go", kind="explicit")
        settled = self.model.settle(GO)
        assert (reached.settled, reached.kept) == (int(settled), not settled)
        self.model.kept = self.model.kept or not settled

    def a_person_wakes_it(self, _: st.DataObject) -> None:
        with self.clock():
            services.wake(self.made.id, by=principal_actor())
        self.model.settle(("explicit", self.made.id))

    def a_person_answers(self, _: st.DataObject) -> None:
        with self.clock():
            decide(self.asked, answer="yes")
        self.is_decided = True
        listens = self.model.human == self.asked.suspension_id
        self.model.settle(("human" if listens else "explicit", self.asked.suspension_id))

    def a_person_takes_it_back(self, _: st.DataObject) -> None:
        with self.clock():
            runs.take_back(self.asked.suspension_id, by=principal_actor())
        self.is_decided = False
        model = self.model
        was = None if model.settled is None else model.settled[1]
        if not model.is_awake and was == self.asked.suspension_id:
            model.sleeps_again(False)

    def someone_claims(self, data: st.DataObject) -> None:
        point = data.draw(st.sampled_from((None, None, None, "after_claim")))
        with dying(point) as fate, self.clock():
            found = making.claim(ttl_s=LEASE_S).wakes
        assert bool(found) == self.model.is_due(self.now), "owned twice, given twice, or stuck"
        if not found:
            return
        [wake] = found
        settled = wake.sleeper.settled
        assert settled is not None and wake.row.head.id == self.made.id
        model = self.model
        model.settled = model.settled or ("timer", model.timer)
        assert (settled.kind, settled.key) == model.settled
        assert (wake.interrupted, wake.decided) == (model.is_awake, self.is_decided)
        self.lose()
        assert wake.row.host.lease_epoch not in self.stale
        self.epoch = wake.row.host.lease_epoch
        model.is_awake, model.until = True, self.now + LEASE_S * 1_000
        if fate:
            self.lose()

    def the_holder_steps(self, data: st.DataObject) -> None:
        point = data.draw(st.none() | st.sampled_from(_AT_APPEND))
        self.args += 1
        with dying(point) as fate, self.clock():
            self.step(self.args)
        self.kept += not fate or point in LATER
        if fate:
            self.lose()

    def a_step_is_sent_again(self, _: st.DataObject) -> None:
        """After a crash nobody knows whether it was kept: the same call, and one row."""
        with self.clock():
            done = self.step(self.args)
        self.kept += not done.skipped

    def the_holder_asks(self, _: st.DataObject) -> None:
        with self.clock():
            self.stop = suspend(self.made, question="Go on?", lease_epoch=self.epoch)

    def the_holder_is_told_the_answer(self, _: st.DataObject) -> None:
        with self.clock():
            told = resume(self.made, self.epoch).decision
        assert told is not None and told.answer == "yes"
        self.stop, self.is_decided = None, False

    def the_holder_commits(self, data: st.DataObject) -> None:
        point = data.draw(st.none() | st.sampled_from(_AT_COMMIT))
        soon = data.draw(st.booleans())
        timer = self.now + 2_000 if soon else making.FAR
        with dying(point) as fate, self.clock():
            place = making.committed(self.made)
            if not fate:
                self.commit(timer, place)
        if not fate:
            model = self.model
            model.timer, model.human = timer, self.stop.suspension_id if self.stop else None
            model.sleeps_again(self.is_decided)
        self.lose()

    def a_commit_names_a_place_that_is_not_its_own(self, data: st.DataObject) -> None:
        """Ahead of the log's end, or behind what is committed."""
        further = data.draw(st.sampled_from((-1, 1)))
        with self.clock():
            place = making.committed(self.made)
            whole = services.whole(services.sleeper(self.made.id, by=self.made.by))
            from_ = whole.descriptor.last_committed.seq_watermark
            seq = place["seq_watermark"] + 1 if further > 0 else from_ - 1
            revision = re.sub(r"\d+$", str(seq), place["source_revision"])
            other = place | {"seq_watermark": seq, "source_revision": revision}
            with pytest.raises(errors.AheadOfLog if further > 0 else errors.StaleWatermark):
                self.commit(making.FAR, other)

    def the_holder_gives_it_back(self, data: st.DataObject) -> None:
        way = data.draw(st.sampled_from(("back", "release")))
        with self.clock():
            if way == "back":
                making.give_back(self.made, self.epoch or 0)
            else:
                held = HoldLease(lease_epoch=self.epoch or 0)
                runs.release(self.made.id, held, by=self.made.by)
        self.model.is_awake = False
        self.lose()

    def the_holder_is_killed(self, _: st.DataObject) -> None:
        self.lose()

    def an_old_holder_writes_late(self, _: st.DataObject) -> None:
        for write in (
            lambda: append(self.made, args={"late": 1}, lease_epoch=self.stale[0]),
            lambda: making.commit(self.made, self.stale[0]),
            lambda: making.give_back(self.made, self.stale[0]),
        ):
            with self.clock(), pytest.raises(Fenced):
                write()

    def the_tables_are_lost_and_made_again(self, _: st.DataObject) -> None:
        with self.clock():
            services.rebuild()

    def the_bystander_is_answered(self, _: st.DataObject) -> None:
        with self.clock():
            decide(self.bystander, answer="you")
        self.is_bystander_answered = True

    def someone_claims_the_bystander(self, _: st.DataObject) -> None:
        with self.clock():
            found = making.claim("painter").wakes
            assert bool(found) == self.is_bystander_answered, "woken by what is not its own"
            for wake in found:
                epoch = wake.row.host.lease_epoch
                resume(self.bystander, epoch)
                again = suspend(self.bystander, question="And?", lease_epoch=epoch)
                self.bystander = again
                making.commit(again, epoch, making.on("human", again.suspension_id))
        self.is_bystander_answered = False

    @invariant()
    def the_descriptor_is_what_its_log_says(self) -> None:
        if hasattr(self, "made"):
            assert services.check() == []

    @invariant()
    def every_step_that_was_kept_is_there(self) -> None:
        if hasattr(self, "made"):
            assert Step.objects.filter(process_id=self.made.id).count() == self.kept

    @property
    def asked(self) -> Made:
        assert self.stop is not None
        return self.stop

    def step(self, number: int) -> Any:
        return append(self.made, args={"n": number}, lease_epoch=self.epoch)

    def commit(self, timer: int, place: dict[str, Any]) -> None:
        conditions = [making.timer(timer), making.on(*GO)]
        if self.stop:
            conditions.append(making.on("human", self.stop.suspension_id))
        said = {
            "lease_epoch": self.epoch,
            "wake_conditions": conditions,
            "last_committed": place,
        }
        services.commit(self.made.id, Commit.model_validate(said), by=self.made.by)

    def overtaken(self) -> bool:
        """Whether another has claimed since an old holder fell silent."""
        return bool(self.stale) and self.made.row.host.lease_epoch > self.stale[0]

    def lose(self) -> None:
        if self.epoch is not None:
            self.stale.append(self.epoch)
        self.epoch = None
