"""A thin Django backend for SQLite: a safe library, pragmas that keep what was acknowledged, a
fair gate.
"""

from __future__ import annotations

from typing import Any

BUSY_SECONDS = 20

# FULL, because NORMAL loses acknowledged rows on power loss (reliability.md §0.2). No
# mmap_size: it turns I/O errors into SIGBUS. No trusted_schema=OFF: it breaks Django's regex
# constraints.
PRAGMAS = {
    "journal_mode": "WAL",
    "synchronous": "FULL",
    "wal_autocheckpoint": "1000",
    "journal_size_limit": "67108864",
    "cell_size_check": "ON",
    "temp_store": "MEMORY",
    "cache_size": "-16000",
}


def options() -> dict[str, Any]:
    """The OPTIONS of a `dalhc.db.sqlite` database, as the settings want them (reliability.md
    §5).
    """
    return {
        "transaction_mode": "IMMEDIATE",
        "timeout": BUSY_SECONDS,
        "cached_statements": 256,
        "init_command": ";".join(f"PRAGMA {name}={value}" for name, value in PRAGMAS.items()),
    }
