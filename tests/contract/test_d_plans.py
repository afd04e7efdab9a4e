"""Row D19 to SQLite's planner: what is due, and who listens, are ranges of an index."""

from __future__ import annotations

import pytest
from django.db import connection

from descriptors.models import ConditionRow
from descriptors.store import due

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def test_d19_look_ups_are_a_range_of_an_index():
    assert "condition_key" in plan(ConditionRow.objects.under("wait-provider", "mail/").query)


def test_d19_due_work_is_found_by_an_index():
    with connection.cursor() as cursor:
        for text, params in ((due.DUE, ("a", 5, 9)), (due.NEXT, ("a", 5))):
            cursor.execute("EXPLAIN QUERY PLAN " + text.format(presets=""), params)
            told = " ".join(row[3] for row in cursor.fetchall())
            assert (
                "USING INDEX sleeper_due" in told or "USING COVERING INDEX sleeper_due" in told
            )
            assert "SCAN" not in told and "TEMP B-TREE" not in told


def plan(query):
    text, params = query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + text, params)
        return " ".join(row[3] for row in cursor.fetchall())
