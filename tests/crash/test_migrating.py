"""An upgrade that is killed half-way succeeds when it is run again; older code refuses what a
newer one has written. `make prove` kills twenty.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from dalhc.db.sqlite.library import sqlite
from tests.crash.power import DATABASE
from tests.crash.proof import PROVING, keep, seed, told_by
from tests.crash.test_kill import ROOT, environment
from tests.serving import free_port

pytestmark = [pytest.mark.sqlite, pytest.mark.needs("strace")]

KILLS = 20 if PROVING else 3


def test_a_migration_killed_before_any_write_succeeds_when_run_again(new_home):
    chance = seed()
    told = told_by(new_home(), "tests.crash.migrating", str(KILLS), str(chance))
    assert told["struck"] == KILLS
    assert told["killed"] >= 0.9 * KILLS
    keep("migrating", seed=chance, **told)


def test_older_code_refuses_a_newer_schema_in_one_sentence(new_home):
    home = new_home()
    database = sqlite.connect(home / DATABASE)
    with database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('processes', '9999_from_tomorrow', '2099-01-01')"
        )
    before = database.execute("PRAGMA data_version").fetchone()
    env = environment(home, PORT=str(free_port()))
    started = subprocess.run(
        [sys.executable, "manage.py", "serve"], cwd=ROOT, env=env,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert started.returncode != 0
    assert started.stderr.splitlines() == [
        "CommandError: The data was written by a newer dalhc (processes.9999_from_tomorrow); "
        "this one does not open it."
    ]
    assert database.execute("PRAGMA data_version").fetchone() == before
    database.close()
