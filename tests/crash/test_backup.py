"""Backups while others write: each restores, verifies, and holds all that was told before it.
`make prove` makes fifty under two hundred writes a second.
"""

from __future__ import annotations

import itertools
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from processes.management import archive
from tests.crash import power
from tests.crash.lifecycle import ARTIFACT
from tests.crash.proof import PROVING, keep
from tests.serving import Served

pytestmark = pytest.mark.sqlite

BACKUPS = 50 if PROVING else 3
WRITERS, EACH_PER_SECOND = 8, 25


def test_every_backup_under_load_restores_with_all_that_was_told_before(served, tmp_path):
    told: list[str] = []
    rates = list[float]()
    with _writing(served, told):
        for number in range(BACKUPS):
            before, begun = list(told), time.monotonic()
            file = tmp_path / f"{number}.tar"
            archive.write(served.home, served.home / power.DATABASE, file)
            rates.append((len(told) - len(before)) / (time.monotonic() - begun))
            restored = _unpacked(file, tmp_path / "restored")
            assert power.look_at_database(restored, before) == []
            file.unlink()
    assert len(told) > BACKUPS * WRITERS
    assert sum(rate > 0 for rate in rates) > BACKUPS // 2
    keep("backup", backups=BACKUPS, told=len(told), lost=0,
         writes_per_second=round(sorted(rates)[BACKUPS // 2]))  # fmt: skip


@contextmanager
def _writing(server: Served, told: list[str]) -> Iterator[None]:
    """Eight clients append steps, 200 a second together where the machine lets them."""
    ends = threading.Event()
    failed: list[BaseException] = []
    writers = [
        threading.Thread(target=_write, args=(server, f"backed-{number}", told, ends, failed))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    try:
        _until_all_write(told, failed)
        yield
    finally:
        ends.set()
        for writer in writers:
            writer.join(30)
    assert failed == []


def _write(
    server: Served,
    name: str,
    told: list[str],
    ends: threading.Event,
    failed: list[BaseException],
) -> None:
    try:
        with server.caller(server.keys[0]) as client:
            body = {"objective": "Tidy", "id": name, "start": True}
            client.post("processes", json=body).raise_for_status()
            told.append(f"open {name}")
            kept = client.put(f"processes/{name}/artifacts/of.txt", content=ARTIFACT)
            told.append(f"artifact {name} {kept.raise_for_status().json()['sha256']}")
            begun = time.monotonic()
            for number in itertools.count():
                if ends.wait(max(0.0, begun + number / EACH_PER_SECOND - time.monotonic())):
                    return
                step = {"tool": "run", "args": {"n": number}, "success": True}
                reply = client.post(f"processes/{name}/steps", json=step)
                kept = reply.raise_for_status().json()
                told.append(f"step {name} {kept['seq']} {kept['idempotency_key']}")
    except BaseException as error:
        failed.append(error)


def _until_all_write(told: list[str], failed: list[BaseException]) -> None:
    until = time.monotonic() + 60
    while len({line.split()[1] for line in told if line.startswith("step")}) < WRITERS:
        assert not failed, failed
        assert time.monotonic() < until, "not everybody writes"
        time.sleep(0.01)


def _unpacked(file: Path, folder: Path) -> Path:
    """As docs/operating.md restores it, into a folder that is empty."""
    if folder.exists():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    folder.mkdir(exist_ok=True)
    with tarfile.open(file) as tar:
        tar.extractall(folder, filter="data")
    return folder
