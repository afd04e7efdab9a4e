"""A journal file written whole or not at all: beside it, flushed, renamed, and the folder
flushed (S0:59, contract F08, A19).
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from processes.journal import errors
from processes.journal.folder import ENDING, file_name

MODE = 0o600


def create(at: int, id: str, text: bytes) -> None:
    """A file that was not there, while its id is locked. Raises ProcessExists."""
    name = file_name(id)
    _require_no_twin(at, id)
    part = _written(at, name, text, MODE)
    try:
        os.link(part, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
    except FileExistsError:
        raise errors.ProcessExists(pointer="/id") from None
    finally:
        os.unlink(part, dir_fd=at)
    os.fsync(at)


def replace(at: int, id: str, text: bytes) -> None:
    """The file anew, while its id is locked; it keeps its mode, and its owner if we may."""
    name = file_name(id)
    was = os.stat(name, dir_fd=at, follow_symlinks=False)
    part = _written(at, name, text, stat.S_IMODE(was.st_mode), was)
    try:
        os.rename(part, name, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        os.unlink(part, dir_fd=at)
        raise
    os.fsync(at)


def _require_no_twin(at: int, id: str) -> None:
    """On a disk that ignores case two such ids are one file (contract O12)."""
    for other in os.listdir(at):
        if other.lower() == f"{id}{ENDING}".lower():
            raise errors.ProcessExists(pointer="/id")


def _written(
    at: int, name: str, text: bytes, mode: int, owner: os.stat_result | None = None
) -> str:
    """The text on disk under a name of its own, which only the holder of the lock uses."""
    part = f".{name}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(part, dir_fd=at)  # of a writer that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(part, flags, MODE, dir_fd=at)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fchmod(handle, mode)
            _give(handle, owner)
            os.fsync(handle)
    except BaseException:
        os.unlink(part, dir_fd=at)
        raise
    return part


def _give(handle: int, owner: os.stat_result | None) -> None:
    if owner is None or (owner.st_uid, owner.st_gid) == (os.geteuid(), os.getegid()):
        return
    with suppress(PermissionError):
        os.fchown(handle, owner.st_uid, owner.st_gid)
