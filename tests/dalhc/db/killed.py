"""A program that writes through the writer's thread and prints what it was told is kept."""

from __future__ import annotations

import itertools
import sys
import threading

import django
from django.conf import settings

from dalhc.db.sqlite import options

settings.configure(
    DATABASES={
        "default": {"ENGINE": "dalhc.db.sqlite", "NAME": sys.argv[1], "OPTIONS": options()}
    },
    USE_TZ=True,
)
django.setup()

from django.db import connection  # noqa: E402

from dalhc.db import writer  # noqa: E402

numbers = itertools.count()


def make() -> int:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS row (n INTEGER)")
        cursor.execute("SELECT coalesce(max(n), 0) FROM row")
        return int(cursor.fetchone()[0])


def add(n: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO row VALUES (%s)", (n,))
    return n


def forever() -> None:
    while True:
        told = writer.write(lambda: add(next(numbers)))
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()


if "--read" in sys.argv:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchone() == ("ok",)
        cursor.execute("SELECT n FROM row")
        print(*(n for (n,) in cursor.fetchall()), sep="\n")
else:
    writer.start()
    numbers = itertools.count(writer.write(make) + 1)
    for _ in range(4):
        threading.Thread(target=forever).start()
