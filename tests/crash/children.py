"""Children of a program that are watched by strace and killed before a call of theirs."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dalhc.db import writer
from tests.crash.lifecycle import Tell, say_to
from tests.crash.tracing import watched

CALLS = (
    "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "openat", "mkdir", "rename",
    "unlink",
)  # fmt: skip
THREADS = ("main", "writer")
ANY_TRACER = ctypes.c_ulong(-1)
PR_SET_PTRACER = 0x59616D61


@dataclass(frozen=True)
class Point:
    """Before the n-th call of a kind by one of a child's two threads."""

    thread: str
    call: str
    n: int

    @property
    def how(self) -> tuple[str, ...]:
        """What strace is told so that the child ends there."""
        inject = f"inject={self.call}:signal=KILL:when={self.n}"
        return "-e", f"trace={self.call}", "-e", inject


@dataclass(frozen=True)
class Ended:
    killed: bool
    told: list[str]


def points(work: Callable[[Tell], None], thread: str, log: Path) -> Iterator[Point]:
    """Every call of an undisturbed child, counted."""
    ended = watch(work, thread, "-e", f"trace={','.join(CALLS)}", "-o", str(log))
    assert not ended.killed
    names = [line.partition("(")[0] for line in log.read_text().splitlines() if "(" in line]
    for call in CALLS:
        yield from (Point(thread, call, n) for n in range(1, names.count(call) + 1))


def watch(work: Callable[[Tell], None], thread: str, *how: str) -> Ended:
    """Let a child do it, with strace at one of its threads. No connection is open meanwhile."""
    hearing, told = os.pipe()
    waiting, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hearing)
        _work_and_tell(work, waiting, told)
    os.close(told)
    os.close(waiting)
    with os.fdopen(hearing) as lines, os.fdopen(go, "wb", buffering=0) as begin:
        threads = dict(zip(THREADS, lines.readline().split(), strict=True))
        with watched("-p", threads[thread], *how) as watching:
            begin.write(b"!")
            _, status = os.waitpid(child, 0)
            watching.wait(30)
        heard = [line.removeprefix("told ").strip() for line in lines if line.endswith("\n")]
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or status == 0, f"the child ended with {status}: {heard[-1:]}"
    return Ended(killed, heard)


def renew(home: Path, files: dict[str, bytes]) -> None:
    """The data as it was, while nobody has it open."""
    for path in home.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)


def _work_and_tell(work: Callable[[Tell], None], waiting: int, told: int) -> None:
    """Never returns; the writer has a thread of its own, as in a server."""
    status = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY_TRACER, 0, 0, 0)
        writer.start()
        native = {one.name: one.native_id for one in threading.enumerate()}
        os.write(told, f"{threading.get_native_id()} {native['writer']}\n".encode())
        os.read(waiting, 1)
        work(say_to(told))
        writer.stop()
        status = 0
    except BaseException as error:
        say_to(told)(f"failed {error!r}")
    finally:
        os._exit(status)
