"""A migration is applied and noted, or neither."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = "descriptors_sleeper"


class Ended(Exception):
    """Stands for a kill."""


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The tables of an app taken away; afterwards they are there again."""
    call_command("migrate", "descriptors", "zero", verbosity=0)
    with monkeypatch.context() as patched:
        yield patched
    call_command("migrate", "descriptors", verbosity=0)


def _ended(*_: object) -> None:
    raise Ended


def test_whoever_is_ended_between_the_tables_and_the_note_begins_again(without):
    with without.context() as ending:
        ending.setattr(MigrationRecorder, "record_applied", _ended)
        with pytest.raises(Ended):
            call_command("migrate", "descriptors", verbosity=0)
    assert TABLE not in connection.introspection.table_names()
    call_command("migrate", "descriptors", verbosity=0)
    assert TABLE in connection.introspection.table_names()


def test_the_way_back_is_taken_whole_too(without):
    call_command("migrate", "descriptors", verbosity=0)
    with without.context() as ending:
        ending.setattr(MigrationRecorder, "record_unapplied", _ended)
        with pytest.raises(Ended):
            call_command("migrate", "descriptors", "zero", verbosity=0)
    assert TABLE in connection.introspection.table_names()


@pytest.mark.sqlite
def test_references_are_checked_again_afterwards(without):
    call_command("migrate", "descriptors", verbosity=0)
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
