"""Rows of a table made in the database from rows that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def copy(
    model: Any, begin: int, end: int, other: Mapping[str, str], of: str, order: str = ""
) -> None:
    """For each number `n` from `begin` to `end` the row `t` that the condition `of` names, with
    `other` expressions for some columns.
    """
    from django.db import connection

    table = model._meta.db_table
    columns = [
        one.column
        for one in model._meta.concrete_fields
        if not one.get_internal_type().endswith("AutoField")
    ]
    quoted = [connection.ops.quote_name(column) for column in columns]
    values = [
        other.get(column, f"t.{name}") for column, name in zip(columns, quoted, strict=True)
    ]
    statement = (
        "WITH RECURSIVE numbers(n) AS (SELECT %s UNION ALL SELECT n + 1 FROM numbers "
        f"WHERE n + 1 < %s) INSERT INTO {table} ({', '.join(quoted)}) "
        f"SELECT {', '.join(values)} FROM numbers JOIN {table} t ON {of} {order}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, (begin, end))
