"""A program whose children lead a process through its life and are killed before a write.

strace watches one thread of a child, and ends it with SIGKILL as it enters the n-th call of one
kind. Each time the database is as new; after each death everything told must be there once,
and the life is led to its end. Arguments: at how many points (0: at every one), and a seed. It
prints one line of JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import django

from dalhc.db import sqlite

sqlite.PRAGMAS["wal_autocheckpoint"] = "20"  # so that a life has checkpoints in it
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from dalhc.db import writer  # noqa: E402
from tests.crash import power  # noqa: E402
from tests.crash.lifecycle import lead, say_to  # noqa: E402
from tests.crash.tracing import watched  # noqa: E402

CALLS = (
    "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "openat", "mkdir", "rename",
    "unlink",
)  # fmt: skip
LIFE = "life"
ANY_TRACER = ctypes.c_ulong(-1)
PR_SET_PTRACER = 0x59616D61


@dataclass(frozen=True)
class Point:
    """Before the n-th call of a kind by one of the two threads."""

    thread: str
    call: str
    n: int


@dataclass(frozen=True)
class Ended:
    killed: bool
    told: list[str]


def main(count: int, seed: int) -> None:
    home = Path(settings.DATA_DIR)
    new = power.files_of(home)
    points = [point for thread in ("main", "writer") for point in _points(thread, home, new)]
    chosen = points if not count else Random(seed).sample(points, count)
    killed = sum(_strike(point, home, new) for point in chosen)
    print(json.dumps({"points": len(points), "struck": len(chosen), "killed": killed}))


def _points(thread: str, home: Path, new: dict[str, bytes]) -> Iterator[Point]:
    """Every call of an undisturbed life, counted."""
    log = home / "strace.log"
    ended = _live(thread, home, new, "-e", f"trace={','.join(CALLS)}", "-o", str(log))
    assert not ended.killed
    names = [line.partition("(")[0] for line in log.read_text().splitlines() if "(" in line]
    for call in CALLS:
        yield from (Point(thread, call, n) for n in range(1, names.count(call) + 1))


def _strike(point: Point, home: Path, new: dict[str, bytes]) -> bool:
    """Kill there, look, go on to the end, look again; whether it was killed at all."""
    how = f"inject={point.call}:signal=KILL:when={point.n}"
    ended = _live(point.thread, home, new, "-e", f"trace={point.call}", "-e", how)
    told = ended.told
    assert power.look_at_database(home, told) == [], point
    lead(LIFE, told.append)
    connection.close()
    assert power.look_at_database(home, told) == [], point
    return ended.killed


def _live(thread: str, home: Path, new: dict[str, bytes], *how: str) -> Ended:
    """One life from an empty database on, with strace at one of its threads."""
    _renew(home, new)
    hearing, told = os.pipe()
    waiting, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hearing)
        _live_and_tell(waiting, told)
    os.close(told)
    os.close(waiting)
    with os.fdopen(hearing) as lines, os.fdopen(go, "wb", buffering=0) as begin:
        threads = dict(zip(("main", "writer"), lines.readline().split(), strict=True))
        with watched("-p", threads[thread], *how) as watching:
            begin.write(b"!")
            _, status = os.waitpid(child, 0)
            watching.wait(30)
        heard = [line.removeprefix("told ").strip() for line in lines if line.endswith("\n")]
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or status == 0, f"the life ended with {status}"
    return Ended(killed, heard)


def _live_and_tell(waiting: int, told: int) -> None:
    status = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY_TRACER, 0, 0, 0)
        writer.start()
        native = {one.name: one.native_id for one in threading.enumerate()}
        os.write(told, f"{threading.get_native_id()} {native['writer']}\n".encode())
        os.read(waiting, 1)
        lead(LIFE, say_to(told))
        writer.stop()
        connection.close()
        status = 0
    finally:
        os._exit(status)


def _renew(home: Path, new: dict[str, bytes]) -> None:
    """The data as it was before anybody wrote."""
    for path in home.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, content in new.items():
        (home / name).write_bytes(content)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
