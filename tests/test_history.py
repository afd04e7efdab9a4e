"""The log is only added to: no code and no admin page changes or removes an event (T21)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from processes.models import Event

ROOT = Path(__file__).resolve().parents[1]
CODE = [
    path
    for folder in ("dalhc", "processes", "descriptors", "scripts", "benches", "examples")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
]
# Retention: the whole process leaves, after its passport was written and read back.
ONE_WAY_OUT = "processes/store/archiving.py"
CALLER = "processes/services/archiving.py"


def holding(pattern: str) -> set[str]:
    found = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    return {str(path.relative_to(ROOT)) for path in CODE if found.search(path.read_text())}


def test_no_code_changes_an_event():
    assert CODE
    assert holding(r"UPDATE\s+\"?processes_event") == set()
    assert holding(r"REPLACE\s+INTO\s+\"?processes_event") == set()
    assert holding(r"Event\.objects\.[^\n]*(update|bulk_update|get_or_create|save)\(") == set()


def test_only_retention_removes_one_and_with_its_whole_process():
    assert holding(r"DELETE\s+FROM\s+\"?processes_event") == {ONE_WAY_OUT}
    assert holding(r"Event\.objects\.[^\n]*delete\(") == set()
    assert holding(r"import archiving\b|store\.archiving") == {
        "processes/services/archiving.py"
    }


def test_no_migration_touches_one_either():
    text = "".join(path.read_text() for path in ROOT.glob("*/migrations/*.py"))
    assert not re.search(r"(UPDATE|DELETE FROM)\s+\"?processes_event", text)


def test_the_model_itself_refuses():
    with pytest.raises(TypeError, match="never changed"):
        Event.objects.all().update(actor="x")
    with pytest.raises(TypeError, match="never removed"):
        Event.objects.all().delete()


def test_nothing_that_points_at_a_process_takes_events_with_it():
    assert Event._meta.get_field("process").remote_field.on_delete.__name__ == "PROTECT"


def test_there_is_no_admin_site():
    assert not apps.is_installed("django.contrib.admin")
    assert "admin" not in "".join(path.name for path in ROOT.glob("*/admin.py"))
    assert "django.contrib.admin" not in settings.INSTALLED_APPS
