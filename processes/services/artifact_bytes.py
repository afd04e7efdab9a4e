"""The bytes of artifacts on the disk: one file per process and hash, there while a row names it
(T14).
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from django.conf import settings

from dalhc import folders
from dalhc.db.inline import in_own_transaction
from dalhc.problems import Problem
from processes.journal import limits, paths
from processes.models import Artifact
from processes.store import rows

CHUNK = 64 * 1024
# A file that nobody names is of an upload under way, or was left by one that was killed.
UNNAMED_SECONDS = 3600
_BACKUP = ".backup"


class Readable(Protocol):
    """A request, a file: whatever gives bytes."""

    def read(self, size: int, /) -> bytes: ...


class ArtifactTooLarge(Problem):
    """An artifact has at most 32 MiB."""


class ArtifactQuota(Problem):
    """There is no room for more artifacts of this process, or of this server."""


def keep(process_id: str, body: Readable, room: int) -> tuple[str, int]:
    """Stream to a temporary file beside the target, flush it to disk, rename: whole or not at
    all. Returns the hash and the size. Raises ArtifactTooLarge, ArtifactQuota.
    """
    path = folder(process_id)
    folders.make(path)
    with _opened(path) as place:
        part = f"part.{secrets.token_hex(8)}"
        try:
            digest, size = _copy(body, part, place, room)
            os.rename(part, digest, src_dir_fd=place, dst_dir_fd=place)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=place)
        os.fsync(place)
    return digest, size


def opened(process_id: str, digest: str, size: int) -> BinaryIO:
    """For reading: a regular file of our own and of this size, reached through no link. Raises
    OSError for anything else.
    """
    with _opened(folder(process_id)) as place:
        # Not blocking: a pipe in its place would be waited for, and is refused below.
        handle = os.open(digest, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_size != size:
        os.close(handle)
        raise FileNotFoundError(digest)
    return os.fdopen(handle, "rb")


def is_kept(process_id: str, digest: str) -> bool:
    return (folder(process_id) / digest).is_file()


def drop(process_id: str, digest: str) -> None:
    """Remove these bytes if no row names them, and what uploads that were killed left there.
    What cannot be removed now goes with the next one.

    In a transaction of its own: the writer's may hold a row that names them and is not on disk.
    """
    with suppress(Problem, OSError), _unless_backup():
        in_own_transaction(lambda: _drop(process_id, digest))


def _drop(process_id: str, digest: str) -> None:
    rows.lock_unasked(process_id)
    named = set(Artifact.objects.filter(process_id=process_id).values_list("sha256", flat=True))
    old = time.time() - UNNAMED_SECONDS
    for entry in list(os.scandir(folder(process_id))):
        if entry.name in named:
            continue
        if entry.name == digest or entry.stat(follow_symlinks=False).st_mtime < old:
            os.unlink(entry.path)


@contextmanager
def all_kept() -> Iterator[None]:
    """Nothing is removed meanwhile, by any server: for a backup, whose copy of the database is
    older than its copy of the files.
    """
    with _backup_file() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def moving() -> Iterator[None]:
    """They may go elsewhere with their rows: a backup that is being made is waited for, and the
    next one waits.
    """
    with _backup_file() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield


@contextmanager
def _unless_backup() -> Iterator[None]:
    """Raises BlockingIOError while a backup is made."""
    with _backup_file() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield


@contextmanager
def _backup_file() -> Iterator[int]:
    root = _root()
    folders.make(root)
    lock = os.open(root / _BACKUP, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        yield lock
    finally:
        os.close(lock)


def _copy(body: Readable, part: str, place: int, room: int) -> tuple[str, int]:
    hasher, size = sha256(), 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(part, flags, 0o600, dir_fd=place), "wb") as file:
        for chunk in _chunks(body):
            size += len(chunk)
            if size > limits.ARTIFACT_BYTES:
                raise ArtifactTooLarge
            if size > room:
                raise ArtifactQuota
            hasher.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return hasher.hexdigest(), size


def _chunks(body: Readable) -> Iterator[bytes]:
    while chunk := body.read(CHUNK):
        yield chunk


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The folder itself; a link in its place is refused with an OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def folder(process_id: str) -> Path:
    """Ids are checked and unique ignoring case, so that this stays inside on every disk."""
    return _root() / paths.process_id(process_id)


def _root() -> Path:
    return Path(settings.DATA_DIR) / "artifacts"
