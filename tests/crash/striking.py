"""A program whose children lead a process through its life and are killed before a write.

strace watches one thread of a child, and ends it with SIGKILL as it enters the n-th call of one
kind. Each time the database is as new; after each death everything told must be there once,
and the life is led to its end. Arguments: at how many points (0: at every one), and a seed. It
prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import django

from dalhc.db import sqlite

sqlite.PRAGMAS["wal_autocheckpoint"] = "20"  # so that a life has checkpoints in it
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from tests.crash import power  # noqa: E402
from tests.crash.children import THREADS, Point, points, renew, watch  # noqa: E402
from tests.crash.lifecycle import Tell, lead  # noqa: E402

LIFE = "life"


def main(count: int, seed: int) -> None:
    home = Path(settings.DATA_DIR)
    new = power.files_of(home)
    every = list[Point]()
    for thread in THREADS:
        renew(home, new)
        every += points(_live, thread, home / "strace.log")
    chosen = Random(seed).sample(every, count) if count else every
    killed = sum(_strike(point, home, new) for point in chosen)
    print(json.dumps({"points": len(every), "struck": len(chosen), "killed": killed}))


def _strike(point: Point, home: Path, new: dict[str, bytes]) -> bool:
    """Kill there, look, go on to the end, look again; whether it was killed at all."""
    renew(home, new)
    ended = watch(_live, point.thread, *point.how)
    told = ended.told
    assert power.look_at_database(home, told) == [], point
    lead(LIFE, told.append)
    connection.close()
    assert power.look_at_database(home, told) == [], point
    return ended.killed


def _live(tell: Tell) -> None:
    lead(LIFE, tell)
    connection.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
