"""Rows as models without the ORM's query building, which costs more than the database does.

Only for the few paths that every run or every decision takes; the SQL is fixed text.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Model

from dalhc.db import sql


def first[M: Model](model: type[M], tail: str, *params: Any) -> M | None:
    """The first row of `SELECT … FROM table AS t <tail>`, as a saved instance of the model."""
    select, booleans = _reading(model)
    values = sql.one(f"{select} {tail}", params)
    if values is None:
        return None
    row = list(values)
    for place in booleans:
        row[place] = bool(row[place])
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(connection.alias, names, row)


def insert(row: Model) -> None:
    """Every column of a row whose primary key is set."""
    statement, names = _writing(type(row))
    sql.run(statement, [getattr(row, name) for name in names])
    row._state.adding, row._state.db = False, connection.alias


def update(model: type[Model], key: str, was: dict[str, Any], **columns: Any) -> bool:
    """A compare-and-set: the row of `key`, if its columns are what they `was`. False if not."""
    table = model._meta.db_table
    sets = ", ".join(f'"{name}" = %s' for name in columns)
    tests = "".join(f' AND "{name}" = %s' for name in was)
    statement = f"UPDATE {table} SET {sets} WHERE id = %s{tests}"
    return sql.run(statement, [*columns.values(), key, *was.values()]) == 1


@cache
def _reading(model: type[Model]) -> tuple[str, tuple[int, ...]]:
    fields = model._meta.concrete_fields
    columns = ", ".join(f't."{field.column}"' for field in fields)
    booleans = tuple(n for n, field in enumerate(fields) if isinstance(field, BooleanField))
    return f"SELECT {columns} FROM {model._meta.db_table} AS t", booleans


@cache
def _writing(model: type[Model]) -> tuple[str, tuple[str, ...]]:
    fields = model._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    statement = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({marks})"
    return statement, tuple(field.attname for field in fields)
