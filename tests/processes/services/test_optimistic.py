"""An append that goes by where the run stood is told what the lock would have told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from dalhc.db import short
from dalhc.problems import Problem
from processes import services
from processes.journal.commands import AppendStep, Complete, TakeLease
from processes.models import Process
from processes.store import optimistic
from processes.store.standing import Standing
from tests.chain import assert_chain
from tests.making import (
    AGENT,
    Made,
    append,
    decide,
    make_process,
    resume,
    runtime_actor,
    suspend,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    optimistic.forget_all()
    yield
    optimistic.forget_all()


@pytest.fixture
def journeys(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many plans each journey had."""
    seen: list[int] = []
    send = short._sent

    def sent(plans: Any, database: Any) -> list[int]:
        seen.append(len(plans))
        return send(plans, database)

    monkeypatch.setattr(short, "_sent", sent)
    return seen


def started(agent: str = AGENT) -> Made:
    made = make_process(running=True, agent=agent)
    append(made, args="first")
    return made


def test_the_second_append_is_one_statement_and_stands_as_by_the_lock(journeys):
    made = started()
    for number in range(5):
        assert not append(made, args={"n": number}, artifacts=["a.txt"]).skipped
    assert journeys == [1] * 5
    locked = started()
    for number in range(5):
        optimistic.forget_all()
        append(locked, args={"n": number}, artifacts=["a.txt"])
    assert journeys == [1] * 5
    assert_chain(made.id)
    assert _columns(made) == _columns(locked)
    assert _told(made) == _told(locked)


def _told(made: Made) -> dict[str, Any]:
    """The record without what is its own."""
    told = made.record.model_dump()
    steps = [{**step, "at_ms": 0} for step in told.pop("steps")]
    rest = {name: told[name] for name in told if name != "id" and not name.endswith("_at_ms")}
    return rest | {"steps": steps}


def _columns(made: Made) -> dict[str, Any]:
    own = {"id", "chain", "created_at_ms", "updated_at_ms", "search", "opened_with"}
    return {name: value for name, value in made.columns.items() if name not in own}


CHANGES: dict[str, Callable[[Made], object]] = {
    "another step": lambda made: append(made, args="other"),
    "a failed step": lambda made: append(made, args="other", success=False),
    "a question": lambda made: suspend(made, question="Which?"),
    "a question and its answer": lambda made: _answered(made),
    "a denial": lambda made: _denied(made),
    "a lease": lambda made: services.lease(made.id, TakeLease(owner="b", ttl_s=60), by=made.by),
    "its end": lambda made: services.complete(made.id, Complete(), by=made.by),
    "the very step": lambda made: append(made, args="last"),
    "files own it now": lambda made: Process.objects.filter(id=made.id).update(origin="files"),
    "it is gone": lambda made: _gone(made),
}


def _answered(made: Made) -> None:
    asked = suspend(made, question="Which?")
    decide(asked, answer="eu")
    resume(made)


def _denied(made: Made) -> None:
    action = {"tool": "run", "args": "last"}
    asked = suspend(made, reason="guard", question="May I?", proposed_action=action)
    decide(asked, "deny", note="No.")
    resume(made)


def _gone(made: Made) -> None:
    from processes.models import Event, Step

    for model in (Event, Step):
        rows = model.objects.filter(process_id=made.id)
        rows._raw_delete(rows.db)
    Process.objects.filter(id=made.id)._raw_delete("default")


def outcome(made: Made) -> tuple[Any, ...]:
    """What the runtime is told of one more step."""
    try:
        done = append(made, args="last")
    except Problem as problem:
        return (problem.code,)
    return (done.skipped, done.step["seq"], done.step["idempotency_key"])


@pytest.mark.parametrize("change", CHANGES)
def test_what_happened_since_is_found_and_told_as_by_the_lock(change):
    stale, locked = started(), started()
    seen = optimistic.take(AGENT, stale.id)
    assert isinstance(seen, Standing)
    CHANGES[change](stale)
    CHANGES[change](locked)
    optimistic.forget_all()
    optimistic.remember(AGENT, seen)
    told = outcome(stale)
    optimistic.forget_all()
    assert told == outcome(locked)
    if Process.objects.filter(id=stale.id).exists():
        assert_chain(stale.id)


def test_a_run_of_the_same_number_of_events_and_another_history_is_another(journeys):
    made = started()
    seen = optimistic.take(AGENT, made.id)
    assert seen is not None
    optimistic.remember(AGENT, replace(seen, chain="0" * 64))
    assert not append(made, args="last").skipped
    assert journeys == [1]  # which changed nothing
    assert_chain(made.id)


def test_another_agent_moves_nothing_by_it(journeys):
    made = started()
    with pytest.raises(Problem) as refused:
        services.append(
            made.id, [AppendStep(tool="run", args="x", success=True)], by=runtime_actor("other")
        )
    assert refused.value.code == "process_not_found"
    assert journeys == []


@pytest.mark.parametrize("step", [{"success": False}, {"success": False, "attempt_id": "a"}])
def test_a_failure_goes_by_the_lock_for_it_could_be_kept_twice(step, journeys):
    made = started()
    append(made, args="x", **step)
    assert journeys == []


def test_a_step_that_was_kept_and_not_heard_of_is_a_replay(monkeypatch, journeys):
    """The statement is kept, and the line is cut before anybody hears of it."""
    from django.db import OperationalError
    from psycopg import errors

    made, send = started(), short._sent

    def cut(plans: Any, database: Any) -> list[int]:
        send(plans, database)
        raise OperationalError("gone") from errors.AdminShutdown()

    monkeypatch.setattr(short, "_sent", cut)
    told = append(made, args="last")
    assert told.step["seq"] == 2
    assert made.kinds == ["open", "resume", "step", "step"]
    assert_chain(made.id)


def test_only_so_many_are_remembered(monkeypatch):
    monkeypatch.setattr(optimistic, "MOST", 2)
    runs = [started() for _ in range(3)]
    assert [optimistic.take(AGENT, made.id) is None for made in runs] == [True, False, False]
