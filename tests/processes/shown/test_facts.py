from __future__ import annotations

from io import BytesIO

from processes import services
from processes.models import Process
from processes.shown.facts import facts
from tests.making import make_process


def test_what_is_not_known_is_not_said(db):
    made = make_process(steps=2, metadata={"cycle_id": "208", "cycle_phase": "review"})
    assert facts(Process.objects.get(id=made.id)).fields == [
        ("Agent", "tidier"), ("Cycle", "208, review"), ("Steps", "2"),
    ]  # fmt: skip


def test_five_artifacts_are_named_and_the_rest_counted(db):
    made = make_process(running=True)
    for number in range(7):
        services.put_artifact(made.id, f"{number}.txt", BytesIO(b"x"), by=made.by)
    found = facts(Process.objects.get(id=made.id))
    assert found.artifacts == [f"{number}.txt" for number in (6, 5, 4, 3, 2)]
    assert found.artifact_count == 7


def test_steps_used_elsewhere_are_told_apart(db):
    made = make_process(steps=2)
    Process.objects.filter(id=made.id).update(steps_used=9)
    assert ("Steps", "9, 2 of them here") in facts(Process.objects.get(id=made.id)).fields
