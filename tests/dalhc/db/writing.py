"""A table of numbers, and ways to write them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

from dalhc.db import writer


class Refused(Exception):
    """A service said no."""


def run(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def add(n: int) -> int:
    run("INSERT INTO written VALUES (%s)", n)
    return n


def kept() -> list[int]:
    return [n for (n,) in run("SELECT n FROM written ORDER BY n")]


def refuse(n: int) -> None:
    add(n)
    raise Refused(n)


class Held:
    """Keeps the writer busy inside a closure, so that what follows queues behind it."""

    def __enter__(self) -> Held:
        self._free, begun = threading.Event(), threading.Event()

        def hold() -> None:
            begun.set()
            assert self._free.wait(10)

        self.first = writer.submit(hold)
        assert begun.wait(5)
        return self

    def __exit__(self, *error: object) -> None:
        self._free.set()


def kept_by_another_connection() -> list[int]:
    found: list[list[int]] = []

    def read() -> None:
        found.append(kept())
        connections.close_all()

    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
    return found[0]


def in_threads(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
