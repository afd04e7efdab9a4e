"""From SQLite to PostgreSQL: all of it, seen to be all of it, or nothing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.databases import create_database, server, surroundings
from tests.serving import TOP

pytestmark = pytest.mark.postgres

EVERY_ROW = """
import hashlib
import django; django.setup()
from django.apps import apps
for model in apps.get_models(include_auto_created=True):
    if model._meta.model_name == "searchmark":
        continue
    rows = sorted(repr(row) for row in model.objects.values_list())
    print(model._meta.db_table, len(rows), hashlib.sha256("".join(rows).encode()).hexdigest())
"""
FINDS = """
import django; django.setup()
from processes.models import Process
from processes.services import searching
words = Process.objects.order_by("id").first().objective
print(sorted(searching.find_processes(words, 50)))
"""
NEXT = """
import django; django.setup()
from tests.making import make_process
made = make_process(steps=2, question="Which?")
print(made.kinds)
"""


def said(env: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=TOP, env=env, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", "move"],
        cwd=TOP, env=env, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    return done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the demo's people, keys, processes and decisions."""
    home = tmp_path_factory.mktemp("before")
    said(on_sqlite(home), "manage.py", "prepare")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    with (
        closing(sqlite3.connect(made / "dalhc.sqlite3")) as source,
        closing(sqlite3.connect(tmp_path / "dalhc.sqlite3")) as copy,
    ):
        source.backup(copy)
    return tmp_path


def on_sqlite(home: Path) -> dict[str, str]:
    env = surroundings(home) | {"PYTHONPATH": str(TOP)}
    env.pop("DATABASE_URL", None)
    return env


def on_postgres(home: Path) -> dict[str, str]:
    """With an empty database, another for each home."""
    name = f"moved_{os.getpid()}_{abs(hash(home))}"
    return on_sqlite(home) | {"DATABASE_URL": create_database(server(), name)}


def tables(env: dict[str, str]) -> int:
    """How many processes the target holds; 0 also before it has tables."""
    with psycopg.connect(env["DATABASE_URL"]) as found:
        [(is_there,)] = found.execute("SELECT to_regclass('processes_process') IS NOT NULL")
        if not is_there:
            return 0
        [(count,)] = found.execute("SELECT count(*) FROM processes_process").fetchall()
        return int(count)


def test_every_row_arrives_as_it_was_and_the_next_ones_follow(home):
    before, env = said(on_sqlite(home), "-c", EVERY_ROW), on_postgres(home)
    told = said(env, "manage.py", "move")
    assert "every chain of events was verified" in told
    assert said(env, "-c", EVERY_ROW) == before
    assert said(env, "-c", NEXT) == "['open', 'resume', 'step', 'step', 'suspend']\n"
    assert said(on_sqlite(home), "-c", EVERY_ROW) == before
    assert "is in use" in refused(env)


def test_the_search_begins_anew_after_the_move(home):
    env = on_postgres(home)
    assert said(on_sqlite(home), "-c", FINDS).strip() not in {"", "[]"}
    said(env, "manage.py", "move")
    with psycopg.connect(env["DATABASE_URL"]) as found:  # so it begins at the beginning
        [(marks,)] = found.execute("SELECT count(*) FROM processes_searchmark").fetchall()
    assert marks == 0


def test_a_broken_chain_is_not_moved(home):
    with closing(sqlite3.connect(home / "dalhc.sqlite3")) as rows:
        rows.execute("UPDATE processes_event SET actor = 'system:nobody' WHERE seq = 1")
        rows.commit()
    env = on_postgres(home)
    assert "event 1 was changed" in refused(env)
    assert tables(env) == 0


def test_a_row_without_its_process_is_not_moved(home):
    with closing(sqlite3.connect(home / "dalhc.sqlite3")) as rows:
        rows.execute(
            "UPDATE processes_turn SET process_id = 'nobody'"
            " WHERE id = (SELECT min(id) FROM processes_turn)"
        )
        rows.commit()
    env = on_postgres(home)
    assert "Nothing was moved" in refused(env)
    assert tables(env) == 0


def test_a_file_that_a_server_has_open_is_not_moved(home):
    holding = (
        "import django; django.setup()\n"
        "from processes.models import Process\n"
        "Process.objects.count(); print('open', flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding],
        cwd=TOP, env=on_sqlite(home), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as other:  # fmt: skip
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == "open\n"
        env = on_postgres(home)
        assert "stop the server first" in refused(env)
        other.stdin.close()
    assert tables(env) == 0


def test_without_an_address_or_a_file_it_says_what_is_missing(home, tmp_path_factory):
    assert "DATABASE_URL" in refused(on_sqlite(home))
    assert "There is no dalhc.sqlite3" in refused(on_postgres(tmp_path_factory.mktemp("no")))
