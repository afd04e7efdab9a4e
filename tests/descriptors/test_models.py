"""What a range of keys means is the same in every database."""

from __future__ import annotations

import pytest
from django.db import connection

from descriptors import services
from tests.descriptors import making
from tests.descriptors.making import on

pytestmark = pytest.mark.django_db

MIXED = ["a/Z", "a/a", "a/É", "a-b", "A/a", "a/z", "a0"]


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("table", "column"), [("descriptors_condition", "key"), ("processes_journalfile", "id")]
)
def test_columns_that_are_asked_by_range_are_compared_by_bytes(table, column):
    asked = (
        "SELECT collation_name FROM information_schema.columns "
        "WHERE table_name = %s AND column_name = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(asked, [table, column])
        assert cursor.fetchall() == [("C",)]


def test_a_prefix_finds_exactly_its_keys_and_the_check_agrees():
    made = making.asleep(*(on("wait-provider", key) for key in MIXED))
    other = making.asleep(on("wait-provider", "a"), on("wait-provider", "b/"))
    found = services.listed(by=made.by, kind="wait-provider", key_prefix="a/")
    assert [one.session_id for one in found] == [made.id] != [other.id]
    assert services.check() == []
