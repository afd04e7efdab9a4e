"""A folder of journal files: listed, read whole, one writer per id (S0:57-59, contract F, K11).

Nothing here follows a link: the folder and every file in it are opened as what they are.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dalhc.folders import make
from dalhc.problems import Problem
from processes.journal import errors, limits
from processes.journal.paths import is_device_name, is_process_id

ENDING = ".json"
READS = 5  # of one file that changes while it is read
_LEFT = re.compile(r"\.(.+)\.(?:lock|json\.tmp)")


@dataclass(frozen=True, slots=True)
class Found:
    """The bytes of a file, and the stamp it had when all of them were read."""

    text: bytes
    stamp: str


class Folder:
    """Journals as `<id>.json`. Everything is looked up anew: folders come and go."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """The folder, private to its owner, if there is none."""
        make(self.path)

    def entries(self) -> dict[str, str]:
        """Every name but hidden ones, with its stamp."""
        with self.opened() as at, os.scandir(at) as found:
            return {
                entry.name: _stamp(entry.stat(follow_symlinks=False))
                for entry in found
                if not entry.name.startswith(".")
            }

    def stamp(self, name: str) -> str | None:
        """What changes whenever the file does; None when there is none."""
        try:
            with self.opened() as at:
                return _stamp(os.stat(name, dir_fd=at, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def read(self, name: str) -> Found:
        """Raises FileNotFoundError, NotAFile, CorruptRecord (too large), FileChanged."""
        with self.opened() as at:
            return read(at, name)

    @contextmanager
    def locked(self, id: str) -> Iterator[int]:
        """The folder's descriptor, while nobody else of ours writes this id or its case twin.

        A runtime that takes no lock is not kept out (docs/dal.md).
        """
        with self.opened() as at:
            handle = _lock(at, f".{id.lower()}.lock", fcntl.LOCK_EX)
            assert handle is not None  # without LOCK_NB it waits
            try:
                yield at
            finally:
                _unlock(at, f".{id.lower()}.lock", handle)

    def sweep(self) -> None:
        """Remove what our own writers left when they were killed; others' files stay."""
        with self.opened() as at:
            for name in os.listdir(at):
                left = _LEFT.fullmatch(name)
                if left and is_process_id(left[1]):
                    _sweep(at, left[1])

    @contextmanager
    def opened(self) -> Iterator[int]:
        """Raises FileNotFoundError, and NotAFile when the folder is a link or no folder."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            at = os.open(self.path, flags)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise errors.NotAFile("The folder is a link, or no folder.") from None
            raise
        try:
            yield at
        finally:
            os.close(at)


def file_name(id: str) -> str:
    """The one name a journal has. Raises InvalidProcessId for a device of Windows."""
    if not is_process_id(id) or is_device_name(id):
        raise errors.InvalidProcessId(pointer="/id")
    return f"{id}{ENDING}"


def read(at: int, name: str) -> Found:
    """As `Folder.read`, in a folder that is open; again when it changed meanwhile."""
    for _ in range(READS):
        handle = _open(at, name)
        with os.fdopen(handle, "rb") as file:
            before = os.fstat(handle)
            text = file.read(limits.FILE_BYTES + 1)
            after = os.fstat(handle)
        now = os.stat(name, dir_fd=at, follow_symlinks=False)
        if _stamp(before) == _stamp(after) == _stamp(now):
            return Found(text, _stamp(now))
    raise errors.FileChanged("The file went on changing while it was read.")


def changed_ms(stamp: str) -> int:
    """When a file of this stamp was last written, Unix milliseconds."""
    return int(stamp.split(".")[2]) // 1_000_000


def stamp_of(at: int, name: str) -> str:
    """As `Folder.stamp`, in a folder that is open."""
    return _stamp(os.stat(name, dir_fd=at, follow_symlinks=False))


def _open(at: int, name: str) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, dir_fd=at)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:
            raise errors.NotAFile from None
        raise
    try:
        _require_plain(os.fstat(handle))
    except Problem:
        os.close(handle)
        raise
    return handle


def _require_plain(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise errors.NotAFile
    if found.st_size > limits.FILE_BYTES:
        raise errors.CorruptRecord(f"The file has more than {limits.FILE_BYTES} bytes.")


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_ino}.{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"


def _lock(at: int, name: str, how: int) -> int | None:
    """The lock of this name; None when LOCK_NB finds it taken.

    A lock's file is removed by its holder, so the one that was waited for may be gone: then
    whoever waited tries the new one.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        handle = os.open(name, flags, 0o600, dir_fd=at)
        try:
            fcntl.flock(handle, how)
        except BlockingIOError:
            os.close(handle)
            return None
        with suppress(FileNotFoundError):
            if _is_same(at, name, handle):
                return handle
        os.close(handle)


def _is_same(at: int, name: str, handle: int) -> bool:
    there = os.stat(name, dir_fd=at, follow_symlinks=False)
    return os.path.samestat(os.fstat(handle), there)


def _unlock(at: int, name: str, handle: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=at)
    os.close(handle)


def _sweep(at: int, id: str) -> None:
    lock = f".{id.lower()}.lock"
    handle = _lock(at, lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if handle is None:
        return
    with suppress(FileNotFoundError):
        os.unlink(f".{id}{ENDING}.tmp", dir_fd=at)
    _unlock(at, lock, handle)
