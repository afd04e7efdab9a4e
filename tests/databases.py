"""Which database this run of the tests is about, and new ones for the servers that tests start.

`DALHC_TEST_DATABASE=postgres` runs them on PostgreSQL: on the server of `TEST_DATABASE_URL` (an
address like DATABASE_URL, of someone who may create databases), or on one started for the run.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.db import connection

from tests.cluster import Cluster, create_database, drop_database

ON_POSTGRES = os.environ.get("DALHC_TEST_DATABASE", "sqlite") == "postgres"
_SERVER = "TEST_DATABASE_URL"
_OURS = ("DALHC_", "DJANGO_", "DAL_", "PYTEST_", "DATABASE_URL", "TEST_DATABASE_URL", "PG")


def choose() -> None:
    """Say to the settings where the tests' own database is. pytest's workers inherit the server
    of the process that started them.
    """
    os.environ.pop("DATABASE_URL", None)
    if ON_POSTGRES:
        os.environ["DATABASE_URL"] = server()


def server() -> str:
    """The address of the PostgreSQL server that this run may create databases on."""
    if not os.environ.get(_SERVER):
        cluster = Cluster()
        atexit.register(cluster.stop)
        os.environ[_SERVER] = cluster.url()
    return os.environ[_SERVER]


def surroundings(home: Path) -> dict[str, str]:
    """This process's environment without what the tests' own Django was told, for a program
    that keeps its data in `home`; on PostgreSQL with a database of its own for each home.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    kept |= {"DALHC_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dalhc.settings"}
    return kept | ({"DATABASE_URL": database_of(home)} if ON_POSTGRES else {})


@cache
def database_of(home: Path) -> str:
    """The address of this home's database, created empty the first time."""
    name = f"dalhc_{os.getpid()}_{sha256(str(home).encode()).hexdigest()[:16]}"
    atexit.register(drop_database, server(), name)
    return create_database(server(), name)


@contextmanager
def unchecked(*constraints: str) -> Iterator[None]:
    """Write what today's tables refuse, as a later version may have left it: the named check
    constraints of processes do not hold inside. On PostgreSQL they are gone until the test's
    transaction ends.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            drops = ", ".join(f"DROP CONSTRAINT IF EXISTS {name}" for name in constraints)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else rows still wait for theirs
            cursor.execute(f"ALTER TABLE processes_process {drops}")
            yield
        else:
            cursor.execute("PRAGMA ignore_check_constraints = ON")
            yield
            cursor.execute("PRAGMA ignore_check_constraints = OFF")
