"""Folders that are still there after a power cut: a new name is on disk once the folder that
holds it has been flushed.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Lock

_making = Lock()  # whoever finds a folder finds it flushed


def make(folder: Path) -> None:
    """The folder, private to its owner, and those above it; on disk when this returns."""
    with _making:
        _make(folder, 0o700)


def flush(folder: Path) -> None:
    """The names it holds are on disk when this returns, as far as its disk can promise that:
    some know no such flush, and a folder one may write to need not be readable.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


def _make(folder: Path, mode: int) -> None:
    if folder.is_dir():
        return
    if folder != folder.parent:
        _make(folder.parent, 0o777)
    folder.mkdir(mode=mode, exist_ok=True)
    flush(folder.parent)
