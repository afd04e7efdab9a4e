"""A backup: one tar with the database and every artifact, each verified before the file gets
its name.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from dalhc.db.sqlite.library import sqlite
from processes.management.files import whole
from processes.services.artifact_bytes import all_kept
from processes.services.broken import Broken
from processes.services.verifying import verify_chains

DATABASE = "dalhc.sqlite3"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds."""

    processes: int
    artifacts: int


def write(home: Path, database: Path, target: Path) -> Contents:
    """Copy the running server's data into `target`; nothing appears there unless all of it is
    right.

    Raises Broken, sqlite3.Error or OSError.
    """
    with (
        all_kept(),
        whole(target) as file,
        tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder,
    ):
        return _fill(file, home, database, Path(folder) / DATABASE)


def _fill(file: BinaryIO, home: Path, database: Path, copy: Path) -> Contents:
    _copy_database(database, copy)
    _forget_logins(copy)
    with _opened(copy) as rows:
        processes = _verified(rows)
        with tarfile.open(fileobj=file, mode="w") as tar:
            tar.add(copy, DATABASE)
            artifacts = sum(_add(tar, home, *row) for row in _artifacts(rows))
    return Contents(processes, artifacts)


def _copy_database(database: Path, copy: Path) -> None:
    """SQLite's online backup: one consistent moment, while others write."""
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    source, target = sqlite.connect(database), sqlite.connect(copy)
    try:
        source.backup(target)  # in one step: between two, a write would begin it anew
        target.execute("PRAGMA journal_mode=DELETE")
    finally:
        target.close()
        source.close()


def _forget_logins(copy: Path) -> None:
    """Whoever finds the copy is not to be one of those who were logged in."""
    rows = sqlite.connect(copy, isolation_level=None)
    try:
        rows.execute("DELETE FROM django_session")
        rows.execute("VACUUM")  # what was deleted is in no free page either
    finally:
        rows.close()


class _opened:
    """A read-only connection that is closed at the end of its block."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite.connect(f"{path.as_uri()}?mode=ro", uri=True)

    def __enter__(self) -> Any:
        return self.connection

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def _verified(rows: Any) -> int:
    found = [row[0] for row in rows.execute("PRAGMA integrity_check")]
    if found != ["ok"]:
        raise Broken(f"the copy fails SQLite's integrity check: {found[0]}")
    if rows.execute("PRAGMA foreign_key_check").fetchone():
        raise Broken("the copy has rows without their process")
    return verify_chains(rows.execute)


def _artifacts(rows: Any) -> Iterator[tuple[str, str]]:
    query = (
        "SELECT DISTINCT process_id, sha256 FROM processes_artifact ORDER BY process_id, sha256"
    )
    yield from rows.execute(query).fetchall()


def _add(tar: tarfile.TarFile, home: Path, process_id: str, digest: str) -> int:
    """One artifact, its bytes checked against its name as they are read."""
    name = f"artifacts/{process_id}/{digest}"
    with (home / name).open("rb") as file:
        if _digest(file) != digest:
            raise Broken(f"{name} does not have the bytes its name says")
        file.seek(0)
        tar.addfile(tar.gettarinfo(arcname=name, fileobj=file), file)
    return 1


def _digest(file: BinaryIO) -> str:
    hasher = sha256()
    while chunk := file.read(1 << 20):
        hasher.update(chunk)
    return hasher.hexdigest()
