"""The gate lets writers in one by one, in order, in one process and between processes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from dalhc.db.sqlite.gate import FairLock, FileLock, Gate, gate_of

HOLD = """
import sys, time
from pathlib import Path
from dalhc.db.sqlite.gate import FileLock
lock = FileLock(Path(sys.argv[1]))
assert lock.acquire(5)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""

ROOT = Path(__file__).resolve().parents[4]


def test_the_lock_is_handed_on_in_the_order_of_asking():
    lock, order = FairLock(), []
    lock.acquire(1)

    def enter(number: int) -> None:
        assert lock.acquire(10)
        order.append(number)
        lock.release()

    threads = [threading.Thread(target=enter, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
        while len(lock._waiting) < thread_count(threads):
            time.sleep(0.001)
    lock.release()
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def thread_count(threads: list[threading.Thread]) -> int:
    return sum(thread.is_alive() for thread in threads)


def test_whoever_gives_up_leaves_the_queue():
    lock = FairLock()
    lock.acquire(1)
    assert not lock.acquire(0.01)
    lock.release()
    assert lock.acquire(0.01)


def test_another_process_keeps_the_gate_closed_until_it_leaves(tmp_path: Path):
    path = tmp_path / "x.lock"
    with holding(path, 0.6) as other:
        gate = Gate(path)
        assert not gate.enter(0.1)
        begun = time.monotonic()
        assert gate.enter(5)
        assert time.monotonic() - begun > 0.1
        gate.leave()
        other.wait()


def test_a_lock_granted_after_everyone_gave_up_is_given_back(tmp_path: Path):
    path = tmp_path / "x.lock"
    with holding(path, 0.3) as other:
        impatient = FileLock(path)
        assert not impatient.acquire(0.05)
        other.wait()
    patient = FileLock(path)
    assert patient.acquire(2)
    patient.release()


def test_a_killed_holder_opens_the_gate(tmp_path: Path):
    path = tmp_path / "x.lock"
    with holding(path, 60) as other:
        other.kill()
        other.wait()
        assert Gate(path).enter(2)


def test_a_database_has_one_gate_by_whatever_path(tmp_path: Path):
    straight = tmp_path / "a.sqlite3"
    around = tmp_path / "." / "a.sqlite3"
    assert gate_of(str(straight), in_memory=False) is gate_of(str(around), in_memory=False)
    assert gate_of(":memory:", in_memory=True) is not gate_of(str(straight), in_memory=False)


def test_a_database_in_memory_locks_no_file(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gate = gate_of("file:memory-gate?mode=memory", in_memory=True)
    assert gate.enter(1)
    gate.leave()
    assert not list(tmp_path.iterdir())


class holding:
    """Another process that holds the lock for some seconds."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.order = [sys.executable, "-c", HOLD, str(path), str(seconds)]

    def __enter__(self) -> subprocess.Popen[str]:
        self.other = subprocess.Popen(self.order, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.other.stdout is not None
        assert self.other.stdout.readline() == "held\n"
        return self.other

    def __exit__(self, *error: object) -> None:
        self.other.kill()
        self.other.wait()
        assert self.other.stdout is not None
        self.other.stdout.close()
