"""A program whose children bring an older database up to date and are killed in between.

The older one holds three lives that an earlier schema has. strace ends a child before the n-th
write or flush of its migration; then the same again must succeed, with the same schema as an
undisturbed one and everything that was told. Arguments: at how many points, and a seed. It
prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from dalhc.db.sqlite.library import sqlite  # noqa: E402
from tests.crash import power  # noqa: E402
from tests.crash.children import Point, points, renew, watch  # noqa: E402
from tests.crash.lifecycle import Tell, lead  # noqa: E402

LIVES = 3
OLDER = (("descriptors", "zero"), ("processes", "0005"))
FLUSHES = {"fdatasync", "fsync"}
CALLS = {"pwrite64", "fdatasync", "fsync", "ftruncate"}


type Start = tuple[str, Point]  # what there is before, and where it ends


def main(count: int, seed: int) -> None:
    home = Path(settings.DATA_DIR)
    told = list[str]()
    for number in range(LIVES):
        lead(f"life-{number}", told.append)
    for app, name in OLDER:
        call_command("migrate", app, name, verbosity=0)
    connection.close()
    starts = {"older": power.files_of(home), "empty": {}}
    every = [
        (kind, point)
        for kind, files in starts.items()
        for point in _points(home, files)
        if point.call in CALLS
    ]
    chosen = _chosen(every, count, Random(seed))
    schemas = set[str]()
    killed = 0
    for kind, point in chosen:
        renew(home, starts[kind])
        killed += watch(_migrate, "main", *point.how).killed
        again = watch(_migrate, "main", "-e", "trace=none")
        assert not again.killed
        kept = told if kind == "older" else []
        assert (lost := power.look_at_database(home, kept)) == [], (kind, point, lost)
        schemas.add(_schema(home))
    assert len(schemas) == 1, "the schema depends on where it was interrupted"
    print(json.dumps({"points": len(every), "struck": len(chosen), "killed": killed}))


def _chosen(every: list[Start], count: int, chance: Random) -> list[Start]:
    """Half of them before a flush: there a migration is kept, and perhaps not written down."""
    flushes = [one for one in every if one[1].call in FLUSHES]
    writes = [one for one in every if one[1].call not in FLUSHES]
    half = min(len(flushes), count - count // 2)
    return chance.sample(flushes, half) + chance.sample(writes, count - half)


def _points(home: Path, files: dict[str, bytes]) -> list[Point]:
    renew(home, files)
    return list(points(_migrate, "main", home / "strace.log"))


def _migrate(tell: Tell) -> None:
    call_command("prepare", verbosity=0)
    connection.close()


def _schema(home: Path) -> str:
    """Every table and index, and which migrations have been applied."""
    database = sqlite.connect(home / power.DATABASE)
    try:
        sql = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        applied = "SELECT app, name FROM django_migrations ORDER BY app, name"
        return repr(database.execute(sql).fetchall() + database.execute(applied).fetchall())
    finally:
        database.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
