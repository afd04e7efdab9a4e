"""Several servers write and index at once: each row is found, and stands in the index once."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from django.db import connection, connections

from processes.models import Step
from processes.services import searching
from processes.store import ids, search, settled
from tests.cluster import named
from tests.databases import server
from tests.making import append, make_process

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

COPY = (
    "INSERT INTO processes_step (process_id, seq, tool, {rest}) "
    "SELECT %s, 1, 'late', {rest} FROM processes_step LIMIT 1"
)
REST = ", ".join(
    field.attname
    for field in Step._meta.fields
    if field.attname not in {"id", "process_id", "seq", "tool"}
)


def test_a_row_that_is_committed_after_a_higher_one_is_found_too():
    early, late = make_process(running=True), make_process(running=True)
    append(early, "early")
    searching.sweep()
    with psycopg.connect(named(server(), connection.settings_dict["NAME"])) as wire:
        wire.execute(COPY.format(rest=REST), (late.id,))
        append(early, "higher", args={"n": 1})  # has the higher number, is there sooner
        searching.index()
        wire.commit()
    searching.sweep()
    assert search.find("late", 10) == [("1", late.id)]
    assert search.find("higher", 10) == [("2", early.id)]


def test_one_who_writes_for_long_keeps_the_index_waiting_and_not_the_search():
    made = make_process(objective="Ledger", running=True)
    append(made, "seen")
    searching.sweep()
    with psycopg.connect(named(server(), connection.settings_dict["NAME"])) as wire:
        wire.execute(COPY.format(rest=REST), (make_process(running=True).id,))
        append(made, "unseen", args={"n": 1})
        assert settled.settled() == settled.NOTHING
        assert searching.find_processes("ledger", 10) == [made.id]
        assert searching.sweep() is not None  # and it looks again soon
        wire.rollback()
    searching.sweep()
    assert search.find("unseen", 10) == [("2", made.id)]


def test_several_that_index_at_once_take_each_row_in_once():
    made = [make_process(objective=f"Ledger {n}", question="Which?") for n in range(20)]
    _at_once(4, lambda: [searching.index() for _ in range(3)])
    assert len(search.find("ledger", 100)) == len(made)
    assert len(search.find("which", 100, "suspension")) == len(made)


def test_a_question_from_a_host_whose_clock_is_behind_is_found_too(monkeypatch):
    make_process(question="Which first?")
    searching.sweep()
    now = ids._tick()
    monkeypatch.setattr(ids, "_tick", lambda: now - (3_000 << 12))
    made = make_process(question="Which late?")
    searching.sweep()
    searching.sweep()
    assert search.find("late", 10, "suspension") == [(made.suspension_id, made.id)]
    assert not search.waits()


def _at_once(number: int, work: Callable[[], object]) -> None:
    def run() -> None:
        work()
        connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
