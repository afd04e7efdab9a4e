"""Whether other processes have the database open: each holds a shared lock on one small file.

The lock is the process's own (POSIX), so it ends with it, however that ends, and a fork has
none until it opens the database itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

try:
    import fcntl
except ImportError:  # no such locks on this system: nobody is known to be there
    fcntl = None  # type: ignore[assignment]

_asking = Lock()
_held: dict[int, int] = {}  # by process id: the open file


def register(database: str) -> None:
    """Be seen, from this process's first connection to its end."""
    if os.getpid() in _held or fcntl is None:
        return
    with _asking:
        if os.getpid() not in _held:
            path = Path(f"{database}-present")
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(handle, fcntl.LOCK_SH)
            _held[os.getpid()] = handle


def others() -> bool:
    """Whether another process is there. Trying to have the file alone is how to know."""
    handle = _held.get(os.getpid())
    if handle is None:  # as it stays on a system without these locks
        return False
    with _asking:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        fcntl.lockf(handle, fcntl.LOCK_SH)
        return False
