"""One moment of the whole database, read at leisure while others write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from dalhc.db.sqlite.library import sqlite

type Execute = Callable[[str], Iterable[tuple[Any, ...]]]

_ROWS = 2_000


@contextmanager
def snapshot() -> Iterator[Execute]:
    """Every query inside sees the same moment; rows come as they are asked for.

    Not for requests: on SQLite the log of writes cannot be shortened while one is open.
    """
    if connection.in_atomic_block:
        yield _query  # already one moment
    elif connection.vendor == "sqlite":
        with file_snapshot(Path(str(connection.settings_dict["NAME"]))) as execute:
            yield execute
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield _query


@contextmanager
def file_snapshot(path: Path) -> Iterator[Execute]:
    """The same of a SQLite file, which is opened for reading alone."""
    with closing(sqlite.connect(f"{path.as_uri()}?mode=ro", uri=True)) as rows:
        rows.execute("BEGIN")
        yield rows.execute


def _query(statement: str) -> Iterator[tuple[Any, ...]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement)
        while page := cursor.fetchmany(_ROWS):
            yield from page
