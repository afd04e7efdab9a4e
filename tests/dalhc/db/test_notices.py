"""One process hears what another has committed, soon, once, and never what was not kept."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection, transaction

from dalhc import bell
from dalhc.db import notices
from dalhc.db.sqlite import present
from tests import databases
from tests.making import decide, make_process

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[3]
# Another process on the tests' own database: it decides whenever it is told to.
OTHER = """
import sys
import django; django.setup()
from django.conf import settings
from django.db import connection
settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = sys.argv[1]
from processes.models import Suspension
from tests.making import Made, decide
Suspension.objects.count()
print("here", flush=True)
for line in sys.stdin:
    process_id, suspension_id = line.split()
    decide(Made(process_id, suspension_id), answer="eu")
    print("decided", flush=True)
"""


class Heard:
    """What came, in order; `all` stands for everything."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.is_waiting = True
        self.ears = notices.Ears(
            self.topics.append, lambda: self.topics.append("all"), lambda: self.is_waiting
        )

    def eventually(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < deadline, self.topics
            time.sleep(0.01)


@pytest.fixture
def heard() -> Iterator[Heard]:
    make_process()  # from an empty log the first event is too far to be told by its name
    found = Heard()
    listening = notices.listen(found.ears)
    yield found
    listening.stop()


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    """A process beside this one, at the same database."""
    home = Path(settings.DATA_DIR)
    name = str(connection.settings_dict["NAME"])
    env = databases.surroundings(home) | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, name],
        cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout and process.stdin
        assert process.stdout.readline() == "here\n"
        yield process
        process.stdin.close()


def test_a_decision_in_another_process_is_heard_here(heard, other):
    made = make_process(question="Which?")
    heard.eventually(lambda: "all" in heard.topics)  # from now on each by its name
    heard.topics.clear()
    other.stdin.write(f"{made.id} {made.suspension_id}\n")
    other.stdin.flush()
    heard.eventually(lambda: {made.id, bell.INBOX} <= set(heard.topics))


@pytest.mark.sqlite
def test_nobody_looks_while_nobody_waits_and_nothing_is_missed_meanwhile(heard, other):
    made = make_process(question="Which?")
    heard.eventually(lambda: "all" in heard.topics)
    heard.is_waiting = False
    other.stdin.write(f"{made.id} {made.suspension_id}\n")
    other.stdin.flush()
    assert other.stdout.readline() == "decided\n"
    heard.topics.clear()
    heard.is_waiting = True
    heard.eventually(lambda: made.id in heard.topics)


@pytest.mark.sqlite
def test_a_process_alone_knows_that_it_is(other):
    connection.ensure_connection()
    assert present.others()
    other.kill()
    other.wait()
    assert not present.others()


@pytest.mark.postgres
def test_a_server_does_not_wake_itself_and_hears_nothing_that_was_undone(heard):
    heard.topics.clear()
    decide(make_process(question="Which?"), answer="eu")
    with transaction.atomic():
        notices.send("undone")
        transaction.set_rollback(True)
    with connection.cursor() as cursor:
        cursor.execute("NOTIFY dalhc, 'another last'")
    heard.eventually(lambda: "last" in heard.topics)
    assert heard.topics == ["last"]


@pytest.mark.postgres
def test_after_a_lost_connection_everyone_looks_again(heard):
    heard.topics.clear()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'"
            " AND datname = current_database()"
        )
    heard.eventually(lambda: heard.topics == ["all"])
    with psycopg.connect(_address()) as wire:
        wire.execute("NOTIFY dalhc, 'another again'")
    heard.eventually(lambda: heard.topics == ["all", "again"])


@pytest.mark.postgres
def test_news_of_keys_goes_to_those_who_remember_them(heard, monkeypatch):
    forgotten: list[int] = []
    monkeypatch.setitem(notices._handlers, ":keys", lambda: forgotten.append(1))
    heard.topics.clear()
    with psycopg.connect(_address()) as wire:
        wire.execute("NOTIFY dalhc, 'another :keys'")
    heard.eventually(lambda: forgotten == [1])
    assert heard.topics == []


def _address() -> str:
    from tests.cluster import named

    return named(databases.server(), connection.settings_dict["NAME"])
