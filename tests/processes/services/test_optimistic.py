"""An append that goes by where the run stood is told what the lock would have told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from psycopg import errors

from dalhc.db import short
from dalhc.db.refusals import Busy, Unreachable
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
    optimistic.lately.clear()
    yield
    optimistic.lately.clear()


@pytest.fixture
def journeys(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each statement changed something."""
    seen: list[bool] = []
    send = short._changed

    def changed(*told: Any) -> bool:
        seen.append(send(*told))
        return seen[-1]

    monkeypatch.setattr(short, "_changed", changed)
    return seen


def started(agent: str = AGENT) -> Made:
    made = make_process(running=True, agent=agent)
    append(made, args="first")
    return made


def test_the_second_append_is_one_statement_and_stands_as_by_the_lock(journeys):
    made = started()
    for number in range(5):
        assert not append(made, args={"n": number}, artifacts=["a.txt"]).skipped
    assert journeys == [True] * 5
    locked = started()
    for number in range(5):
        optimistic.lately.clear()
        append(locked, args={"n": number}, artifacts=["a.txt"])
    assert journeys == [True] * 5
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
    seen = optimistic.find(AGENT, stale.id)
    assert isinstance(seen, Standing)
    CHANGES[change](stale)
    CHANGES[change](locked)
    optimistic.lately.clear()
    optimistic.remember(AGENT, seen)
    told = outcome(stale)
    optimistic.lately.clear()
    assert told == outcome(locked)
    if Process.objects.filter(id=stale.id).exists():
        assert_chain(stale.id)


def test_a_run_of_the_same_number_of_events_and_another_history_is_another(journeys):
    made = started()
    seen = optimistic.find(AGENT, made.id)
    assert seen is not None
    optimistic.remember(AGENT, replace(seen, chain="0" * 64))
    assert not append(made, args="last").skipped
    assert journeys == [False]
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


def test_a_replay_changes_nothing_and_is_told_as_one(journeys):
    made = started()
    assert append(made, args="first").skipped
    assert not append(made, args="second").skipped
    assert journeys == [False, True]


def test_an_attempt_that_is_recorded_is_told_as_one(journeys):
    made = started()
    append(made, args="x", attempt_id="a")
    assert append(made, args="x", attempt_id="a").skipped
    with pytest.raises(Problem) as refused:
        append(made, args="y", attempt_id="a")
    assert refused.value.code == "attempt_conflict"
    assert journeys == [True, False, False]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is kept, and the line is lost before anybody hears of it."""
    send = short._changed

    def changed(*told: Any) -> bool:
        send(*told)
        raise OperationalError("gone") from errors.AdminShutdown()

    monkeypatch.setattr(short, "_changed", changed)


def test_a_step_that_was_kept_and_not_heard_of_is_a_replay(cut):
    made = started()
    assert append(made, args="last").step["seq"] == 2
    assert made.kinds == ["open", "resume", "step", "step"]
    assert_chain(made.id)


@pytest.mark.parametrize("change", ["a question", "its end", "a lease"])
def test_nobody_is_told_that_a_step_was_not_kept_when_it_was(change, monkeypatch, cut):
    """What has happened since refuses it now, and did not then."""
    made, whole = started(), short._again

    def later(*told: Any) -> Any:
        CHANGES[change](made)
        return whole(*told)

    monkeypatch.setattr(short, "_again", later)
    with pytest.raises(Unreachable):
        append(made, args="last")
    assert made.kinds.count("step") == 2


def test_a_run_that_somebody_has_locked_is_waited_for_by_the_lock_alone(journeys):
    made, free = started(), started()
    with psycopg.connect(
        **connection.get_connection_params() | {"cursor_factory": None}
    ) as other:
        other.execute("SELECT 1 FROM processes_process WHERE id = %s FOR UPDATE", (made.id,))
        assert not append(free, args="last").skipped
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        with pytest.raises(Busy):
            append(made, args="last")
        other.rollback()
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")
    assert not append(made, args="last").skipped
    assert journeys == [True, False, True]


def test_the_step_after_the_first_that_follows_an_approval_is_one_statement_again(journeys):
    made = started()
    action = {"tool": "run", "args": "last"}
    decide(suspend(made, reason="guard", question="May I?", proposed_action=action), "approve")
    resume(made)
    append(made, args="last")
    append(made, args="more")
    assert journeys[-1:] == [True]
    assert_chain(made.id)


def test_only_so_many_are_remembered(monkeypatch):
    monkeypatch.setattr(optimistic.lately, "most", 2)
    runs = [started() for _ in range(3)]
    assert [optimistic.find(AGENT, made.id) is None for made in runs] == [True, False, False]
