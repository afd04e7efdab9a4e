"""Reading files: their SHA-256, and whether they are the same byte for byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from hashlib import sha256
from typing import BinaryIO

CHUNK = 1 << 20


class Unreadable(Exception):
    """The file could not be read as it was listed."""


def digest(root: str, path: str, size: int) -> str:
    """64 hex of the file's bytes. Raises Unreadable, also when its size is no longer `size`."""
    hashed, read = sha256(), 0
    try:
        with _opened(root, path) as file:
            while block := file.read(CHUNK):
                hashed.update(block)
                read += len(block)
                if read > size:
                    break
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from error
    if read != size:
        raise Unreadable("changed since it was listed")
    return hashed.hexdigest()


def not_the_same(root: str, paths: Sequence[str]) -> list[int]:
    """The positions of files that differ from the first readable one, or cannot be read."""
    first: str | None = None
    others = []
    for position, path in enumerate(paths):
        try:
            if first is None:
                with _opened(root, path):
                    first = path
            elif not _are_equal(root, first, path):
                others.append(position)
        except OSError:
            others.append(position)
    return others


def _are_equal(root: str, one: str, other: str) -> bool:
    with _opened(root, one) as left, _opened(root, other) as right:
        while True:
            a, b = left.read(CHUNK), right.read(CHUNK)
            if a != b:
                return False
            if not a:
                return True


def _opened(root: str, path: str) -> BinaryIO:
    """A regular file only: opening a pipe put in its place would wait for ever."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(os.path.join(root, path), flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "no longer a regular file")
    return os.fdopen(handle, "rb", buffering=0)
