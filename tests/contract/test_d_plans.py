"""Row D19 to SQLite's planner: what is due, and who listens, are ranges of an index."""

from __future__ import annotations

import pytest
from django.db import connection

from descriptors.models import ConditionRow
from descriptors.store import due, signals, sleepers
from processes.services import beside

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def test_d19_look_ups_are_a_range_of_an_index():
    assert "condition_key" in plan(ConditionRow.objects.under("wait-provider", "mail/").query)


def test_d19_due_work_is_found_by_an_index():
    with connection.cursor() as cursor:
        for text, params in ((due.DUE, ("a", 5, 9)), (due.NEXT, ("a", 5))):
            cursor.execute("EXPLAIN QUERY PLAN " + text.format(presets=""), params)
            told = " ".join(row[3] for row in cursor.fetchall())
            assert "USING COVERING INDEX sleeper_due" in told
            assert "SCAN" not in told and "TEMP B-TREE" not in told


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (sleepers.BY_ID, "sqlite_autoindex_descriptors_sleeper_1"),
        (sleepers.UPDATE, "sqlite_autoindex_descriptors_sleeper_1"),
        (sleepers.DEAF, "condition_session"),
        (signals.LISTENERS.format(mine=""), "condition_key"),
        (signals.TAKE, "sqlite_autoindex_descriptors_signal_1"),
        (beside.DATA, "sqlite_autoindex_processes_event_1"),
    ],
)
def test_d19_a_wake_finds_every_row_by_an_index(statement, index):
    """What sleeping, claiming and committing ask, one by one."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}", ["1"] * statement.count("%s"))
        told = " ".join(row[3] for row in cursor.fetchall())
    assert index in told
    assert "SCAN" not in told


def plan(query):
    text, params = query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + text, params)
        return " ".join(row[3] for row in cursor.fetchall())
