"""What the code refuses, the table refuses too."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from processes.models import Decision, Event, Process, RuntimeKey, Step, Suspension, Turn
from tests.making import append, decide, make_process

pytestmark = pytest.mark.django_db

REFUSED = (
    IntegrityError,
    DataError,
)  # by a constraint, or by the length of PostgreSQL's column


def write(table: str, where: str, **columns: Any) -> None:
    names = ", ".join(f"{name} = %s" for name in columns)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE processes_{table} SET {names} WHERE {where}", list(columns.values())
        )
        assert cursor.rowcount == 1


def copy(row: Any, **changes: Any) -> None:
    """Insert the same row again, with changes."""
    fields = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    if row._meta.auto_field:
        del fields["id"]
    with transaction.atomic():
        type(row).objects.create(**(fields | changes))


@pytest.mark.parametrize(
    "columns",
    [
        *({"state": state} for state in ("paused", "Running", "", "suspended ")),
        *({"suspend_reason": reason} for reason in ("timeout", "GUARD", "", None)),
        {"state": "running"},  # with a reason still there
        {"state": "completed"},
        {"suspend_reason": "ask_user", "question": None},
        {"id": "x" * 81},
        {"objective": "x" * 8_001},
        {"question": "x" * 8_001},
        {"principal_answer": "x" * 8_001},
        {"agent": "x" * 101},
        *({name: "x" * 201} for name in ("cycle_id", "cycle_phase", "objective_id",
            "objective_class", "objective_due_bucket")),
        {"steps_used": -1},
    ],
    ids=lambda columns: ", ".join(f"{name}={str(value)[:12]}" for name,
        value in columns.items()),
)  # fmt: skip
def test_a_bad_process_is_refused_by_the_table(columns):
    make_process(reason="guard")
    with pytest.raises(REFUSED):
        write("process", "1 = 1", **columns)


@pytest.mark.parametrize(
    "columns",
    [{"state": "completed", "suspend_reason": None}, {"objective": "\U0001f600" * 8_000}],
)
def test_a_good_process_is_taken(columns):
    make_process(reason="guard")
    write("process", "1 = 1", **columns)


@pytest.mark.parametrize("id", ["Run-1", "RUN-1", "run-1"])
def test_two_ids_that_differ_in_case_are_one(id):
    row = Process.objects.get(id=make_process(id="run-1").id)
    with pytest.raises(IntegrityError):
        copy(row, id=id)
    copy(row, id="run-2")


@pytest.mark.parametrize(
    "columns",
    [
        {"effect": "exactly_once"}, {"tool": "x" * 201}, {"result_digest": "x" * 2_001},
            {"seq": 0}, {"seq": 1},
    ],
)  # fmt: skip
def test_a_bad_step_is_refused_by_the_table(columns):
    make_process(steps=2)
    with pytest.raises(REFUSED):
        write("step", "seq = 2", **columns)


def test_a_second_success_of_a_key_is_refused_by_the_table():
    step = Step.objects.get(process_id=make_process(steps=1).id)
    copy(step, seq=2, success=False)
    copy(step, seq=3, success=False)
    copy(step, seq=4, process_id=make_process().id)
    with pytest.raises(IntegrityError):
        copy(step, seq=5)


def test_a_second_step_of_an_attempt_is_refused_by_the_table():
    made = make_process(running=True)
    append(made, success=False, attempt_id="try-1")
    step = Step.objects.get(process_id=made.id)
    copy(step, seq=2, attempt_id=None)
    copy(step, seq=3, attempt_id=None)
    with pytest.raises(IntegrityError):
        copy(step, seq=4)


@pytest.mark.parametrize(
    "columns",
    [
        {"status": "lost"}, {"reason": "opened"}, {"reason": "timeout"},
            {"question": "x" * 8_001},
        {"detail": "x" * 2_001},
    ],
)  # fmt: skip
def test_a_bad_suspension_is_refused_by_the_table(columns):
    make_process(reason="guard")
    with pytest.raises(IntegrityError):
        write("suspension", "1 = 1", **columns)


def test_a_process_waits_for_one_thing_at_a_time():
    stop = make_process(question="Which?", ask_key="q").stop
    copy(stop, id="susp_2", status="used", ask_key=None)
    with pytest.raises(IntegrityError):
        copy(stop, id="susp_3", ask_key=None)
    with pytest.raises(IntegrityError):
        copy(stop, id="susp_4", status="used")


def test_a_suspension_has_one_living_decision():
    made = make_process(question="Which?")
    decide(made, answer="eu")
    one = Decision.objects.get(suspension_id=made.suspension_id)
    copy(one, id="dec_2", live=False)
    with pytest.raises(IntegrityError):
        copy(one, id="dec_3")
    for columns in ({"action": "shrug"}, {"answer": "x" * 8_001}, {"note": "x" * 2_001}):
        with pytest.raises(IntegrityError):
            write("decision", "live", **columns)


def test_a_turn_is_of_the_assistant_or_the_user_and_bounded():
    made = make_process()
    turn = Turn.objects.create(process_id=made.id, seq=1, role="user", content="eu", at_ms=1)
    with pytest.raises(IntegrityError):
        copy(turn)
    for columns in ({"role": "system"}, {"content": "x" * 8_001}):
        with pytest.raises(IntegrityError):
            write("turn", "seq = 1", **columns)


def test_an_event_has_its_number_alone():
    event = Event.objects.get(process_id=make_process().id)
    for seq in (0, -1):
        with pytest.raises(IntegrityError):
            copy(event, seq=seq)


def test_a_key_is_of_an_agent_or_of_a_person(django_user_model):
    user = django_user_model.objects.create_user("mia")
    with pytest.raises(IntegrityError), transaction.atomic():
        RuntimeKey.objects.create(
            prefix="a", digest="", name="", agent="t", user=user, created_at_ms=1
        )


def test_a_suspension_of_no_process_is_refused():
    stop = make_process(question="Which?").stop
    copy(stop, id="susp_2", process_id="nothing", status="used")
    with pytest.raises(IntegrityError), transaction.atomic():
        connection.check_constraints()
    Suspension.objects.filter(id="susp_2").delete()
