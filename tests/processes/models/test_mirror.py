"""The rows mirror the record by equal names, and a migration imports nothing that lives."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.core.management import call_command

from processes.journal.record import ProcessHead, ProcessStep, ProcessTurn
from processes.models import Process, Step, Turn
from tests.making import append, decide, make_process, resume

MIGRATIONS = Path(__file__).resolve().parents[3] / "processes/migrations"


@pytest.mark.parametrize(
    ("value", "row"), [(ProcessHead, Process), (ProcessStep, Step), (ProcessTurn, Turn)]
)
def test_every_field_of_the_record_is_on_its_row_by_the_same_name(value, row):
    assert [name for name in value.model_fields if not hasattr(row, name)] == []


@pytest.mark.django_db
def test_a_row_reads_as_the_value_it_mirrors():
    made = make_process(question="Which?", steps=1, metadata={"cycle_id": "c"})
    decide(made, answer="eu")
    resume(made)
    append(made, args={"\u00e9": 1}, success=False, artifacts=["a", "b"], result_digest="d")
    record = made.record
    assert ProcessHead.model_validate(Process.objects.get(id=made.id)) == ProcessHead(
        **record.model_dump(exclude={"steps", "turns"})
    )
    step = Step.objects.get(process_id=made.id, seq=2)
    assert ProcessStep.model_validate(step) == record.steps[1]
    assert record.steps[1].artifacts == ("a", "b") and record.steps[1].success is False
    turns = Turn.objects.filter(process_id=made.id).order_by("seq")
    assert tuple(ProcessTurn.model_validate(turn) for turn in turns) == record.turns


@pytest.mark.django_db
def test_a_steps_key_holds_until_its_row_is_touched():
    made = make_process(steps=1)
    step = Step.objects.get(process_id=made.id)
    assert step.key_holds
    step.args += " "
    assert not step.key_holds


@pytest.mark.parametrize("path", sorted(MIGRATIONS.glob("0*.py")), ids=lambda path: path.stem)
def test_a_migration_imports_django_and_nothing_of_ours(path):
    """A living enum in an old migration would change what it did."""
    imported = {
        name
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        )
    }  # fmt: skip
    assert {name.split(".")[0] for name in imported} <= {"django", "typing", "__future__"}


@pytest.mark.django_db
def test_no_change_to_a_model_is_without_its_migration():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
