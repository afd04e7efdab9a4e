"""The server with surroundings that a test can make misbehave: a clock that jumps by as many
milliseconds as a file says, and a short limit for the write-ahead log.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

JUMP = Path(os.environ["DALHC_HOME"]) / "jump-ms"
_true_ns = time.time_ns


def _jumped_ns() -> int:
    try:
        return _true_ns() + int(JUMP.read_text() or 0) * 1_000_000
    except FileNotFoundError:
        return _true_ns()


time.time_ns = _jumped_ns  # before anybody has taken it by name

from dalhc.asgi import application  # noqa: E402, F401
from dalhc.db.sqlite import wal  # noqa: E402

wal.LIMIT = int(os.environ["WAL_LIMIT"])
wal.EVERY_MS = int(os.environ["WAL_EVERY_MS"])
