"""One address is all that PostgreSQL needs, and what it does not say is what we promise."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from pydantic import ValidationError

from dalhc.db import postgres, sql
from dalhc.environment import Environment
from tests.databases import surroundings

ROOT = Path(__file__).resolve().parents[3]

URL = "postgres://dalhc:s3cret@db.example:5433/journal?sslmode=require"


def test_an_address_becomes_djangos_settings():
    found = postgres.database(URL)
    assert found["ENGINE"] == "dalhc.db.patient"
    told = {name: found[name] for name in ("HOST", "PORT", "NAME", "USER", "PASSWORD")}
    assert told == {
        "HOST": "db.example", "PORT": "5433", "NAME": "journal", "USER": "dalhc",
        "PASSWORD": "s3cret",
    }  # fmt: skip
    assert found["OPTIONS"]["sslmode"] == "require"


def test_a_socket_is_named_in_the_query():
    found = postgres.database("postgresql:///journal?host=/run/postgresql")
    assert (found["HOST"], found["NAME"], found["USER"]) == ("/run/postgresql", "journal", "")


def test_what_the_address_says_of_the_session_comes_last():
    url = "postgres://host/journal?options=-c%20statement_timeout%3D60s"
    said = postgres.database(url)["OPTIONS"]["options"]
    assert said.index("statement_timeout=10s") < said.index("statement_timeout=60s")


@pytest.mark.parametrize(
    "url", ["mysql://h/d", "s3cret", "postgres://host", "postgres://u:s3cret@h:x y/d"]
)
def test_a_wrong_address_is_refused_by_name_and_shows_no_password(url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ValidationError) as refused:
        Environment()
    assert "DATABASE_URL" in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_the_address_is_not_shown_with_the_rest_of_the_surroundings(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", URL)
    assert "s3cret" not in repr(Environment())


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_session_keeps_what_we_promise():
    with connection.cursor() as cursor:
        for name, value in {
            **postgres.SESSION,
            "transaction_isolation": "read committed",
        }.items():
            assert cursor.execute(f"SHOW {name}").fetchone() == (value,)


@pytest.mark.postgres
def test_a_command_ends_when_it_has_done_its_work(tmp_path):
    asking = "import django; django.setup()\nfrom django.db import connection as c\nc.cursor()"
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", asking], cwd=ROOT, env=surroundings(tmp_path), text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert "thread" not in done.stderr
    assert time.monotonic() - begun < 20  # what it took at least, with its pool left open


@pytest.mark.postgres
@pytest.mark.django_db
def test_one_row_is_one_message_so_that_a_line_that_falls_silent_leaves_an_idle_transaction(
    monkeypatch,
):
    monkeypatch.setattr(psycopg.Connection, "_pipeline_nolock", None)
    sql.run_many("SELECT %s", [(1,)])
    with pytest.raises(TypeError):  # of many, some may have come and some not
        sql.run_many("SELECT %s", [(1,), (2,)])
