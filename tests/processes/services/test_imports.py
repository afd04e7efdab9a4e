"""A journal file comes in whole, or is refused and leaves nothing."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from dalhc.problems import Problem
from processes import services
from processes.journal import errors
from processes.journal.canonical import step_key
from processes.journal.parse import NotJson
from processes.models import Event, Process, Step, Suspension, Turn
from tests.chain import assert_chain
from tests.making import (
    Made,
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
)

pytestmark = pytest.mark.django_db
FILE: dict[str, Any] = {
    "schema_version": 1, "id": "run-1", "objective": "Tidy", "state": "running",
    "created_at_ms": 5, "updated_at_ms": 6,
}  # fmt: skip


def step(tool: str = "run", args: str = "ls", success: bool = True) -> dict[str, Any]:
    return {
        "tool": tool, "args": args, "success": success, "result_digest": "ok",
            "artifacts": ["a/b"],
        "idempotency_key": step_key(tool, args),
    }  # fmt: skip


def take_in(agent: str = "tidier", **fields: Any) -> Made:
    body = json.dumps(FILE | fields).encode()
    return Made(services.import_record(body, by=runtime_actor(agent)).process_id, agent=agent)


def test_a_running_file_goes_on_where_it_was():
    made = take_in(steps=[step(), step(args="cd", success=False)], steps_used=9)
    assert resume(made).result == "continue"
    assert append(made, args="ls").skipped
    assert append(made, args="cd").step["seq"] == 3
    assert made.record.steps_used == 10
    assert made.kinds == ["import", "step"]
    assert_chain(made.id)


def test_the_record_is_the_file():
    fields = {
        "state": "completed", "principal_answer": "eu", "steps": [step()], "steps_used": 1,
        "turns": [{"role": "assistant", "content": "Which?"}, {"role": "user",
            "content": "eu"}],
        "cycle_id": "c", "created_at_ms": 5, "updated_at_ms": 7,
    }  # fmt: skip
    told = json.loads(services.journal_text(take_in(**fields).id, principal_actor()))
    assert {name: told[name] for name in (FILE | fields)} == FILE | fields


def test_a_file_round_trips_with_what_we_do_not_know():
    body = FILE | {
        "x": [1, {"b": None}], "steps": [step() | {"y": 2.5}, step(args="b")], "steps_used": 2,
        "turns": [{"role": "user", "content": "\u00e9", "z": None}],
    }  # fmt: skip
    text = services.journal_text(take_in(**body).id, principal_actor())
    body_again = json.loads(text)
    assert {name: body_again[name] for name in body} == body
    services.import_record(text.replace("run-1", "run-2").encode(), by=runtime_actor())
    assert services.journal_text("run-2", principal_actor()) == text.replace("run-1", "run-2")


@pytest.mark.parametrize(
    ("reason", "held"),
    [("ask_user", False), ("guard", True), ("unverified", True), ("step_budget", False),
        ("wall_clock", False)],
)  # fmt: skip
def test_a_stop_that_came_with_the_file_waits_in_the_inbox(reason, held):
    made = take_in(state="suspended", suspend_reason=reason, question="Which?")
    stop = Suspension.objects.get(process_id=made.id)
    assert (stop.status, stop.reason, stop.question, stop.held) == (
        "open",
        reason,
        "Which?",
        held,
    )
    assert made.row.host.held is held
    made = dataclasses.replace(made, suspension_id=stop.id)
    if reason == "ask_user":
        decide(made, answer="eu")
    else:
        decide(made, "approve")
    assert resume(made).result == "continue"


def test_an_opened_file_waits_for_nobody():
    made = take_in(state="suspended", suspend_reason="opened")
    assert not Suspension.objects.exists()
    assert resume(made).result == "continue"


@pytest.mark.parametrize("state", ["completed", "failed"])
def test_a_finished_file_stays_finished(state):
    made = take_in(state=state)
    assert resume(made).result == "terminal"
    with pytest.raises(errors.ProcessTerminal):
        append(made)


def test_the_same_bytes_again_change_nothing():
    made = take_in(steps=[step()])
    before = made.columns
    again = services.import_record(json.dumps(FILE | {"steps": [step()]}).encode(), by=made.by)
    assert (again.created, again.process_id) == (False, "run-1")
    assert made.columns == before


@pytest.mark.parametrize(
    "again",
    [{"objective": "Other"}, {"id": "RUN-1"}, {"agent": "other"}, {"x": 1}],
)
def test_anything_else_under_the_same_id_is_refused(again):
    take_in()
    with pytest.raises(errors.ProcessExists):
        take_in(**again)
    assert Process.objects.count() == 1


def test_an_id_that_was_opened_is_not_imported_over():
    make_process(id="Run-1")
    with pytest.raises(errors.ProcessExists):
        take_in()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"state": "paused"}, errors.UnknownState),
        ({"schema_version": 2}, errors.UnsupportedSchemaVersion),
        ({"steps": [step(), step()]}, errors.CorruptRecord),
        ({"steps": [step(), step(success=False), step()]}, errors.CorruptRecord),
        ({"id": "a..b"}, errors.InvalidProcessId),
        ({"steps": [step() | {"artifacts": ["/etc/passwd"]}]}, errors.InvalidArtifactPath),
    ],
)
def test_a_refused_file_leaves_nothing(fields, problem):
    with pytest.raises(problem):
        take_in(**fields)
    for model in (Process, Step, Turn, Event, Suspension):
        assert not model.objects.exists()


def test_a_truncated_file_leaves_nothing():
    with pytest.raises(NotJson):
        services.import_record(json.dumps(FILE).encode()[:-5], by=runtime_actor())
    assert not Process.objects.exists()


def test_a_person_imports_nothing():
    with pytest.raises(Problem):
        services.import_record(json.dumps(FILE).encode(), by=principal_actor())


def test_more_turns_than_a_record_holds_are_dropped_from_the_old_end_and_counted():
    turns = [{"role": "user", "content": f"t{n}", "n": n} for n in range(205)]
    made = take_in(turns=turns)
    assert made.columns["turns_dropped"] == 5
    told = json.loads(services.journal_text(made.id, principal_actor()))["turns"]
    assert told == turns[5:]


def test_an_imported_file_that_asks_and_is_answered_goes_on_like_any_other():
    made = take_in(
        state="suspended",
        suspend_reason="ask_user",
        question="Which?",
        turns=[{"role": "user", "content": "old"}],
    )
    stop = Suspension.objects.get()
    made = dataclasses.replace(made, suspension_id=stop.id)
    decide(made, answer="eu")
    resume(made)
    assert [turn.content for turn in made.record.turns] == ["old", "Which?", "eu"]


WAITS = FILE | {"state": "suspended", "suspend_reason": "guard"}


def test_a_stop_that_comes_with_a_file_has_the_owner_of_its_key(settings):
    owned = dataclasses.replace(runtime_actor(), owner="mia")
    services.import_record(json.dumps(WAITS).encode(), by=owned)
    assert Suspension.objects.get().owner == "mia"


def test_an_agent_has_only_so_many_open_by_import_too(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"open_per_agent": 1})
    services.import_record(json.dumps(WAITS).encode(), by=runtime_actor())
    with pytest.raises(errors.TooManyOpen):
        services.import_record(json.dumps(WAITS | {"id": "run-2"}).encode(), by=runtime_actor())
    assert Process.objects.count() == 1
    services.import_record(json.dumps(FILE | {"id": "run-3"}).encode(), by=runtime_actor())
