"""The record, row by row (contract §5, R)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dalhc import clock
from processes import services
from processes.journal import errors, files, limits
from processes.journal.commands import Complete
from processes.journal.record import METADATA
from tests.making import (
    Made,
    append,
    decide,
    make_process,
    principal_actor,
    resume,
    runtime_actor,
    suspend,
)

pytestmark = pytest.mark.django_db
T = 2_000_000_000_000
TEXT = " Tidy\r\n\tthe r\u00e9sum\u00e9 e\u0301 \u65e5\u672c \U0001f600\u202e "
META = {name: f"{name} \u00e9" for name in METADATA}


def journal(made: Made) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(services.journal_text(made.id, principal_actor()))
    return found


def seen(made: Made, api: Any) -> dict[str, Any]:
    """The record as the API gives it; the same fields stand in the file."""
    told = api.get(f"/processes/{made.id}")
    assert {name: told[name] for name in journal(made)} == journal(made)
    return dict(told)


def test_R01_a_record_carries_the_schema_version_one(runtime):
    assert seen(make_process(), runtime)["schema_version"] == 1


def test_R02_the_id_never_changes(runtime):
    made = make_process(id="run.1", question="Which?")
    decide(made, answer="eu")
    resume(made)
    append(made)
    services.complete(made.id, Complete(), by=made.by)
    assert seen(made, runtime)["id"] == "run.1"
    assert runtime.code(422, "/processes/run.1/resume", {"id": "other"}) == "extra_field"
    reply = runtime._client.patch(f"/api/v1/processes/{made.id}", headers=runtime._headers)
    assert reply.status_code == 405


def test_R03_the_objective_is_kept_to_the_letter(runtime):
    opened = runtime.post("/processes", {"objective": TEXT}, 201)
    assert runtime.get(f"/processes/{opened['id']}")["objective"] == TEXT
    assert journal(Made(opened["id"]))["objective"] == TEXT


def test_R04_the_state_is_what_the_table_says_after_each_verb(runtime):
    made = make_process()
    assert seen(made, runtime)["state"] == "suspended"
    resume(made)
    assert seen(made, runtime)["state"] == "running"
    append(made)
    assert seen(made, runtime)["state"] == "running"
    made = suspend(made, question="Which?")
    decide(made, answer="eu")
    assert seen(made, runtime)["state"] == "suspended"
    resume(made)
    services.complete(made.id, Complete(), by=made.by)
    assert seen(made, runtime)["state"] == "completed"
    assert seen(make_process(ended="failed"), runtime)["state"] == "failed"


@pytest.mark.parametrize(
    "reason", ["ask_user", "step_budget", "wall_clock", "guard", "unverified"]
)
def test_R05_the_reason_is_read_back(reason, runtime):
    made = make_process(reason=reason, question="Which?")
    assert seen(made, runtime)["suspend_reason"] == reason


def test_R06_the_question_is_readable(runtime, person):
    made = make_process(question=TEXT)
    assert seen(made, runtime)["question"] == TEXT
    assert person.get(f"/suspensions/{made.suspension_id}")["question"] == TEXT


def test_R07_the_principals_answer_is_null_before_and_equal_after(runtime):
    made = make_process(question="Which?")
    assert seen(made, runtime)["principal_answer"] is None
    decide(made, answer=TEXT)
    assert seen(made, runtime)["principal_answer"] is None
    resume(made)
    assert seen(made, runtime)["principal_answer"] == TEXT


def test_R08_steps_used_counts_the_steps(runtime):
    assert seen(make_process(steps=7), runtime)["steps_used"] == 7


def test_R09_steps_stand_in_their_order(runtime):
    made = make_process(running=True)
    for tool in ("b", "a", "c", "a2"):
        append(made, tool)
    assert [step["tool"] for step in seen(made, runtime)["steps"]] == ["b", "a", "c", "a2"]


def test_R10_turns_are_bounded_the_newest_kept_and_the_dropped_counted(runtime):
    made = make_process(running=True)
    for number in range(limits.TURNS // 2 + 3):
        made = suspend(made, question=f"Question {number}?")
        decide(made, answer=f"answer {number}")
        resume(made)
    made = suspend(made, question="The pending one?")
    told = seen(made, runtime)
    assert len(told["turns"]) == limits.TURNS
    assert told["turns"][-1] == {"role": "user", "content": "answer 102"}
    assert told["turns"][0] == {"role": "assistant", "content": "Question 3?"}
    assert told["turns_dropped"] == 6
    assert told["question"] == "The pending one?"


def _round_trips(name: str, runtime: Any) -> None:
    given = runtime.post("/processes", {"objective": "Tidy", name: META[name]}, 201)
    absent = runtime.post("/processes", {"objective": "Tidy"}, 201)
    assert seen(Made(given["id"]), runtime)[name] == META[name]
    assert seen(Made(absent["id"]), runtime)[name] is None


def test_R11_cycle_id_round_trips_with_and_without(runtime):
    _round_trips("cycle_id", runtime)


def test_R12_cycle_phase_round_trips_with_and_without(runtime):
    _round_trips("cycle_phase", runtime)


def test_R13_objective_id_round_trips_with_and_without(runtime):
    _round_trips("objective_id", runtime)


def test_R14_objective_class_round_trips_with_and_without(runtime):
    _round_trips("objective_class", runtime)


def test_R15_objective_due_bucket_round_trips_with_and_without(runtime):
    _round_trips("objective_due_bucket", runtime)


def test_R16_metadata_changes_no_transition():
    lives = []
    for metadata in ({}, META, {"objective_due_bucket": "overdue", "cycle_phase": "done"}):
        made = make_process(running=True, metadata=metadata)
        told = [resume(made).result, append(made).skipped, append(made).skipped]
        made = suspend(made, question="Which?")
        told += [resume(made).result, services.next_step(made.id, by=made.by).next_action]
        decide(made, answer="eu")
        told += [resume(made).result]
        made = suspend(made, reason="guard")
        with pytest.raises(errors.ApprovalRequired):
            resume(made)
        lives.append(
            (
                told,
                made.kinds,
                made.record.model_dump(
                    exclude={"id", "created_at_ms", "updated_at_ms", *METADATA}
                ),
            )
        )
    assert lives[0] == lives[1] == lives[2]


@pytest.mark.parametrize("name", METADATA)
def test_R17_runs_are_listed_by_each_field_of_the_metadata(name, person):
    mine = {make_process(metadata={name: "a"}).id for _ in range(2)}
    make_process(metadata={name: "A"})
    make_process(metadata={other: "a" for other in METADATA if other != name})
    make_process()
    listed = person.get("/processes", **{name: "a"})["results"]
    assert {one["id"] for one in listed} == mine


def test_R18_the_time_of_creation_never_changes(runtime):
    with clock.at(T):
        made = make_process(running=True)
    with clock.at(T + 5):
        append(made)
        services.complete(made.id, Complete(), by=made.by)
    assert seen(made, runtime)["created_at_ms"] == T


def test_R19_the_time_of_change_moves_with_the_record_and_with_nothing_else():
    def at(ms: int, verb: Any) -> int:
        with clock.at(ms):
            verb()
        return made.record.updated_at_ms

    with clock.at(T):
        made = make_process(running=True)
    assert at(T + 1, lambda: append(made)) == T + 1
    assert at(T + 2, lambda: append(made)) == T + 1  # a replay
    assert at(T + 3, lambda: resume(made)) == T + 1  # the crash cursor
    assert at(T + 4, lambda: services.next_step(made.id, by=made.by)) == T + 1
    assert at(T - 9, lambda: append(made, args="b")) == T + 1  # a clock that went back
    with clock.at(T + 5):
        made = suspend(made, question="Which?")
    assert made.record.updated_at_ms == T + 5
    assert at(T + 6, lambda: decide(made, answer="eu")) == T + 5  # beside the record
    assert at(T + 7, lambda: resume(made)) == T + 7
    assert at(T + 8, lambda: services.complete(made.id, Complete(), by=made.by)) == T + 8


def test_R20_a_record_at_its_bounds_stays_bounded(runtime):
    worst = {
        "args": "\u00e9" * (limits.ARGS_BYTES // 2), "result_digest": "\U0001f600" * 10_000,
        "artifacts": [f"{n:02}".ljust(limits.ARTIFACT_PATH_CHARS, "\u00e9") for n in range(40)],
    }  # fmt: skip
    made = make_process(objective="\U0001f600" * limits.OBJECTIVE_CHARS, running=True)
    for number in range(limits.STEPS_PER_REQUEST):
        append(made, f"{number:03}" + "\u00e9" * (limits.NAME_CHARS - 3), **worst)
    [step, *_] = made.record.steps
    assert len(step.result_digest) == limits.DIGEST_CHARS
    assert len(step.artifacts) == limits.ARTIFACTS_PER_STEP
    assert len(step.model_dump_json().encode()) < 110 * 1024
    told = runtime.get(f"/processes/{made.id}")
    assert told["truncated"] and told["steps_next"]
    assert len(json.dumps(told, ensure_ascii=False).encode()) < 4 * 1024 * 1024


@pytest.mark.parametrize("version", [0, 2, 99, "1", None])
def test_R21_a_file_of_another_version_is_refused(version, runtime):
    body = json.loads(services.journal_text(make_process(id="a").id, principal_actor()))
    body |= {"id": "b", "schema_version": version}
    assert runtime.code(422, "/import", body) == "unsupported_schema_version"
    runtime.get("/processes/b", 404)


def test_R22_a_record_round_trips_through_file_and_database(runtime):
    made = make_process(question="Which?", steps=3, metadata=META, id="a")
    decide(made, answer=TEXT)
    resume(made)
    append(made, args={"f": 1e16, "t": TEXT}, success=False, artifacts=["o/\u00e9"])
    body = journal(made) | {"id": "b", "x-extra": {"n": [1, None]}}
    body["steps"][1]["x-extra"] = 5
    runtime.post("/import", body, 201)
    assert journal(Made("b")) == body
    record, extra = files.load(json.dumps(body).encode())
    assert json.loads(files.dump(record, extra)) == body


@pytest.mark.parametrize(
    "made",
    [
        {}, {"question": "Which?", "steps": 2}, {"reason": "guard"}, {"running": True,
            "steps": 1},
        {"ended": "completed", "steps": 1}, {"ended": "failed"},
    ],
)  # fmt: skip
def test_R23_a_record_is_readable_whole_in_every_state(made, runtime):
    process = make_process(metadata=META, **made)
    told = seen(process, runtime)
    assert set(told) >= set(files.ProcessRecord.model_fields)
    assert told["truncated"] is False
    assert services.record(process.id, by=runtime_actor()) == process.record
