"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dalhc import folders


@contextmanager
def whole(target: Path) -> Iterator[BinaryIO]:
    """Write beside `target`, flush to disk, rename. Readable by its owner alone."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    folders.flush(target.parent)
