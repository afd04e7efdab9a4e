"""Which SQLite we speak through: one without the WAL-reset bug where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, TypedDict

CANDIDATES = ("sqlite3.dbapi2", "pysqlite3.dbapi2")

# Connection.getlimit is missing in pysqlite3; these are SQLite's own defaults, by limit number.
LIMITS = {2: 2_000, 9: 32_766}


class Report(TypedDict):
    """What `/readyz` says of the library."""

    module: str
    version: str
    safe: bool


def is_safe(version: Sequence[int]) -> bool:
    """Whether two connections may write and checkpoint at once without losing rows.

    The WAL-reset bug lives from 3.7.0 to 3.51.2; 3.44.6 and 3.50.7 carry the fix back
    (reliability.md §0.1).
    """
    number = tuple(version)
    fixed_before = (3, 44, 6) <= number < (3, 45) or (3, 50, 7) <= number < (3, 51)
    return fixed_before or number >= (3, 51, 3)


def choose(candidates: Sequence[str] = CANDIDATES) -> ModuleType:
    """The first module whose SQLite is safe; the first at all when none is."""
    found = [module for name in candidates if (module := _imported(name))]
    return next((module for module in found if is_safe(module.sqlite_version_info)), found[0])


def _imported(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


# One library for the whole process: two copies of SQLite on a file undo each other's locks.
sqlite: Any = choose()


def report() -> Report:
    """Name, version and safety of the library in use."""
    return Report(
        module=sqlite.__name__.partition(".")[0],
        version=sqlite.sqlite_version,
        safe=is_safe(sqlite.sqlite_version_info),
    )


class _Limited(sqlite.Connection):  # type: ignore[misc]
    """A connection that knows its limits; Django asks for them."""

    def getlimit(self, category: int) -> int:
        return LIMITS[category]


Connection: Any = sqlite.Connection if hasattr(sqlite.Connection, "getlimit") else _Limited
