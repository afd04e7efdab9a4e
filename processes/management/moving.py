"""All rows of a SQLite file moved to an empty PostgreSQL, in one transaction that is kept only
when the counts agree and every chain holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import BooleanField, Model

from dalhc.db.sqlite import present
from dalhc.db.sqlite.library import sqlite
from processes.models import Process, SearchMark
from processes.services.verifying import verify_chains

READ = 500
# How far the search has read. Its index stays behind, so the new one begins at the beginning.
_MADE_ANEW: tuple[type[Model], ...] = (SearchMark,)


class NotMoved(Exception):
    """Nothing was moved; the text says why."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What the new database holds."""

    rows: int
    processes: int


def move(source: Path) -> Moved:
    """Raises NotMoved, Broken, sqlite3.Error or a DatabaseError; the target is unchanged."""
    with _alone(source) as old, transaction.atomic(), connection.cursor() as new:
        new.execute("SET LOCAL statement_timeout = 0")
        _require_same_schema(old)
        _require_empty()
        models = _models()
        _empty(new, models)
        rows = sum(_copy(old, new, model) for model in models if model not in _MADE_ANEW)
        new.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a row refers to is there
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            new.execute(statement)
        return Moved(rows, _verified(old, new))


@contextmanager
def _alone(source: Path) -> Iterator[Any]:
    """The source, with nobody else at it and nobody able to write until this ends."""
    present.register(str(source))
    if present.others():
        raise NotMoved("another process has the SQLite file open; stop the server first")
    with closing(sqlite.connect(source, isolation_level=None)) as old:
        old.execute("BEGIN IMMEDIATE")
        found = [row[0] for row in old.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise NotMoved(f"the SQLite file fails its integrity check: {found[0]}")
        yield old


def _require_same_schema(old: Any) -> None:
    theirs = set(old.execute("SELECT app, name FROM django_migrations"))
    ours = set(MigrationRecorder(connection).applied_migrations())
    if theirs != ours:
        raise NotMoved(
            "the two have different schemas; start this version once on SQLite first"
        )


def _require_empty() -> None:
    """What the migrations have put there may be replaced; what people did may not."""
    people = apps.get_model("auth", "User").objects.exists()
    if people or Process.objects.exists():
        raise NotMoved("the PostgreSQL database is in use; move into a new, empty one")


def _models() -> list[type[Model]]:
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.managed and not model._meta.proxy]


def _empty(new: Any, models: list[type[Model]]) -> None:
    names = ", ".join(_quoted(model._meta.db_table) for model in models)
    new.execute(f"TRUNCATE {names}")


def _copy(old: Any, new: Any, model: type[Model]) -> int:
    """The rows of one table, columns by name; SQLite's 0 and 1 become booleans."""
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    columns = [str(field.column) for field in fields]
    table = _quoted(model._meta.db_table)
    names = ", ".join(map(_quoted, columns))
    booleans = [place for place, field in enumerate(fields) if isinstance(field, BooleanField)]
    count = 0
    with new.copy(f"COPY {table} ({names}) FROM STDIN") as sheet:
        for row in _rows(old.execute(f"SELECT {names} FROM {table}"), booleans):
            sheet.write_row(row)
            count += 1
    return count


def _rows(found: Any, booleans: list[int]) -> Iterator[list[Any]]:
    while part := found.fetchmany(READ):
        for values in part:
            row = list(values)
            for place in booleans:
                row[place] = None if row[place] is None else bool(row[place])
            yield row


def _verified(old: Any, new: Any) -> int:
    """The number of processes, after every table has as many rows as before and every chain
    ends where it ended.
    """
    for model in _models():
        if model in _MADE_ANEW:
            continue
        asked = f"SELECT count(*) FROM {_quoted(model._meta.db_table)}"
        before, now = old.execute(asked).fetchone()[0], new.execute(asked).fetchone()[0]
        if before != now:
            raise NotMoved(f"{model._meta.db_table} had {before} rows and now has {now}")
    ends = "SELECT id, revision, chain FROM processes_process"
    if set(old.execute(ends)) != set(new.execute(ends).fetchall()):
        raise NotMoved("a process does not end where it ended")
    return verify_chains(lambda asked: new.execute(asked).fetchall())


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
