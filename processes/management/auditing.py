"""What `manage.py audit` verifies: the running database, a backup, a copy of a database."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dalhc.db.snapshot import Execute, file_snapshot, snapshot
from processes.management.archive import DATABASE
from processes.services import checkpoints, passport_check
from processes.services.broken import Broken
from processes.services.checkpoints import Ends

SQLITE, HTML = b"SQLite format 3\0", b"<!doctype html>"


def kind_of(path: Path) -> str:
    """passport, database or backup, by the first bytes. Raises Broken for anything else."""
    if is_passport(path):
        return "passport"
    if _begins(path, SQLITE):
        return "database"
    if tarfile.is_tarfile(path):
        return "backup"
    raise Broken(f"{path.name} is no passport, no backup and no database")


def is_passport(path: Path) -> bool:
    return _begins(path, HTML)


def _begins(path: Path, signature: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(signature)) == signature


@contextmanager
def opened(path: Path | None) -> Iterator[Execute]:
    """One moment of the running database, or of the one in a file."""
    if path is None:
        with snapshot() as execute:
            yield execute
    elif kind_of(path) == "database":
        with file_snapshot(path) as execute:
            yield execute
    else:
        with tempfile.TemporaryDirectory(prefix="dalhc-audit-") as folder:
            copy = _unpacked(path, Path(folder))
            with file_snapshot(copy) as execute:
                yield execute


def _unpacked(path: Path, folder: Path) -> Path:
    """The database of a backup, and nothing else of it."""
    with tarfile.open(path) as tar:
        try:
            source = tar.extractfile(DATABASE)
        except KeyError:
            source = None
        if source is None:
            raise Broken(f"{path.name} holds no {DATABASE}")
        copy = folder / DATABASE
        with copy.open("xb") as target:
            while part := source.read(1 << 20):
                target.write(part)
    return copy


def last_checkpoint(folder: Path) -> checkpoints.Checkpoint | None:
    """The newest in the folder: their names are their moments."""
    found = sorted(folder.glob("checkpoint-*.jsonl")) if folder.is_dir() else []
    return checkpoints.read(found[-1]) if found else None


@dataclass(frozen=True, slots=True)
class Stub:
    """What the database keeps of an archived process."""

    process_id: str
    revision: int
    chain: str
    sha256: str


def stubs(execute: Execute) -> list[Stub]:
    columns = "process_id, revision, chain, sha256"
    query = f"SELECT {columns} FROM processes_archived ORDER BY process_id"
    return [Stub(*row) for row in execute(query)]


def verify_archive(folder: Path, kept: list[Stub], needed: set[str], proven: Ends) -> int:
    """The passports in the folder are those of the stubs, and hold; returns how many. One that
    is elsewhere is missed only when the checkpoint needs it.
    """
    found = 0
    for stub in kept:
        path = folder / f"{stub.process_id}.html"
        if path.exists():
            _verify_passport(path, stub, proven)
            found += 1
        elif stub.process_id in needed:
            raise Broken(
                f"{stub.process_id}: archived after the checkpoint, and its passport is not in "
                f"{folder}; say where with --archive"
            )
    return found


def _verify_passport(path: Path, stub: Stub, proven: Ends) -> None:
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != stub.sha256:
            raise Broken(f"{path.name} is not the passport that was archived")
    held = passport_check.check(path, proven)
    if (held.process_id, held.revision, held.chain) != (
        stub.process_id, stub.revision, stub.chain,
    ):  # fmt: skip
        raise Broken(f"{path.name} ends otherwise than its stub says")
