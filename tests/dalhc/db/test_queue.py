"""What the writer thread promises: one commit for all that queued, and nobody left waiting."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from dalhc.db import queue, writer
from dalhc.db.refusals import Busy, StorageFull
from dalhc.db.sqlite.base import DatabaseWrapper
from dalhc.db.sqlite.gate import gate_of
from tests.dalhc.db.writing import (
    Held,
    Refused,
    add,
    in_threads,
    kept,
    kept_by_another_connection,
    refuse,
    run,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]


ROOT = Path(__file__).resolve().parents[3]


def test_one_that_fails_in_a_batch_loses_only_itself(table: None, thread: None):
    with Held():
        futures = [
            writer.submit(lambda n=n: refuse(n) if n % 3 == 0 else add(n)) for n in range(9)
        ]
    outcomes = [type(future.exception(5)) for future in futures]
    assert outcomes.count(Refused) == 3
    assert kept() == [1, 2, 4, 5, 7, 8]


def test_nobody_is_told_before_the_commit_not_even_of_a_refusal(table, thread, monkeypatch):
    early: list[bool] = []
    futures: list[Future[Any]] = []
    commit = DatabaseWrapper.commit_batch

    def look(database: Any) -> None:
        early.extend(future.done() for future in futures)
        commit(database)

    monkeypatch.setattr(DatabaseWrapper, "commit_batch", look)
    with Held():
        futures += [writer.submit(lambda: add(1)), writer.submit(lambda: refuse(2))]
    assert [type(future.exception(5)) for future in futures] == [type(None), Refused]
    assert early == [False, False]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("database is locked", Busy),
        ("database or disk is full", StorageFull),
        ("disk I/O error", StorageFull),
        ("no such table: x", OperationalError),
    ],
)
def test_a_failed_commit_fails_its_whole_batch(table, thread, monkeypatch, said, told):
    def fail(database: Any) -> None:
        raise OperationalError(said)

    with monkeypatch.context() as patched:
        patched.setattr(DatabaseWrapper, "commit_batch", fail)
        with Held() as held:
            futures = [writer.submit(lambda n=n: add(n)) for n in range(5)]
        assert {type(each.exception(5)) for each in [held.first, *futures]} == {told}
        assert said in writer.trouble()
    assert kept() == []
    writer.write(lambda: add(9))
    assert kept() == [9]
    assert writer.trouble() == ""


def test_after_a_failure_the_question_whether_it_writes_is_answered_by_a_write(
    table: None, thread: None, monkeypatch
):
    """Whoever asks `/readyz` sends no writes before it says yes."""

    def fail(database: Any) -> None:
        raise OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(DatabaseWrapper, "commit_batch", fail)
        with pytest.raises(StorageFull):
            writer.write(lambda: add(1))
        assert "disk I/O error" in writer.trouble()
        assert "disk I/O error" in writer.trouble()
    assert writer.trouble() == ""
    assert kept() == []


def test_a_deferred_constraint_fails_its_neighbours_with_busy_and_itself_with_the_truth(thread):
    """Foreign keys are checked at COMMIT: sent again, each job runs in a batch of its own."""

    def dangling() -> None:
        run("INSERT INTO auth_group_permissions (group_id, permission_id) VALUES (999, 999)")

    with Held():
        guilty = writer.submit(dangling)
        innocent = writer.submit(lambda: Group.objects.create(name="innocent"))
    assert isinstance(guilty.exception(5), Busy)
    assert isinstance(innocent.exception(5), Busy)
    with pytest.raises(IntegrityError):
        writer.write(dangling)
    writer.write(lambda: Group.objects.create(name="innocent"))
    assert Group.objects.count() == 1


def test_when_sqlite_ends_the_transaction_the_whole_batch_is_told(table: None, thread: None):
    """A full disk makes SQLite roll everything back by itself, earlier neighbours too."""

    def full() -> None:
        connection.connection.execute("ROLLBACK")
        raise OperationalError("database or disk is full")

    with Held():
        futures = [writer.submit(work) for work in (lambda: add(1), full, lambda: add(2))]
    told = [type(future.exception(5)) for future in futures]
    assert told[:2] == [StorageFull, StorageFull]
    assert kept() == ([2] if told[2] is type(None) else [])


def test_a_closed_gate_is_busy_for_everyone_who_waits(table, thread, monkeypatch):
    writer.write(lambda: connection.settings_dict["OPTIONS"].update(timeout=0.1))
    gate = gate_of(str(connection.settings_dict["NAME"]), in_memory=False)
    assert gate.enter(1)
    try:
        futures = [writer.submit(lambda n=n: add(n)) for n in range(3)]
        assert {type(future.exception(5)) for future in futures} == {Busy}
    finally:
        gate.leave()
    writer.write(lambda: connection.settings_dict["OPTIONS"].update(timeout=20))
    assert kept() == []


def test_a_full_queue_says_busy(table: None, thread: None, monkeypatch):
    monkeypatch.setattr(queue, "QUEUE", 3)
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(3)]
        with pytest.raises(Busy) as refused:
            writer.write(lambda: add(4))
    assert refused.value.retry_after == 1
    assert [future.result(5) for future in futures] == [0, 1, 2]


def test_stopping_writes_what_has_queued(table: None, thread: None):
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(50)]
    writer.stop()
    assert [future.result(0) for future in futures] == list(range(50))
    assert kept() == list(range(50))


def test_a_writer_that_has_crashed_leaves_nobody_waiting(table, thread, monkeypatch):
    monkeypatch.setattr(queue, "write_together", lambda jobs: 1 // 0)
    with pytest.raises(Busy):
        writer.write(lambda: add(1))
    assert writer._thread is not None
    writer._thread._thread.join(5)
    assert "ended" in writer.trouble()
    with pytest.raises(Busy):
        writer.write(lambda: add(2))


def test_a_closure_that_raises_system_exit_does_not_end_the_writer(table, thread):
    def leave() -> None:
        raise SystemExit(1)

    with pytest.raises(SystemExit):
        writer.write(leave)
    assert writer.write(lambda: add(1)) == 1


def test_a_cancelled_future_is_passed_over(table: None, thread: None):
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(3)]
        assert futures[1].cancel()
    assert futures[2].result(5) == 2


def test_a_write_inside_the_callers_transaction_joins_it(table: None, thread: None):
    """An admin page writes inside `atomic()`: it holds the gate the writer would wait for."""
    rung: list[list[int]] = []

    def work() -> int:
        writer.after_commit(lambda: rung.append(kept_by_another_connection()))
        return add(1)

    with transaction.atomic():
        assert writer.write(work) == 1
        assert rung == []
    assert rung == [[1]]

    def give_up() -> None:
        with transaction.atomic():
            writer.write(lambda: add(2))
            raise Refused

    with pytest.raises(Refused):
        give_up()
    assert kept() == [1]


def test_thirty_two_threads_lose_nothing_and_see_their_own_writes(table: None, thread: None):
    failed: list[BaseException] = []

    def client(number: int) -> None:
        try:
            for each in range(25):
                n = writer.write(lambda n=number * 100 + each: add(n))
                assert run("SELECT n FROM written WHERE n = %s", n) == [(n,)]
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    in_threads(client, 32)
    assert not failed
    assert len(kept()) == 800


def test_a_second_writing_connection_takes_its_turn_at_the_gate(table: None, thread: None):
    """Trap 3: without the gate SQLite's busy handler starves one of the two for 100 ms and
    more.
    """
    slowest: list[float] = [0.0]

    def through_the_writer(number: int) -> None:
        for each in range(60):
            writer.write(lambda n=number * 1000 + each: add(n))

    def beside_it(number: int) -> None:
        for each in range(60):
            begun = time.monotonic()
            with transaction.atomic():
                add(number * 1000 + each)
            slowest[0] = max(slowest[0], time.monotonic() - begun)
        connections.close_all()

    in_threads(lambda n: beside_it(n) if n < 2 else through_the_writer(n), 10)
    assert len(kept()) == 600
    assert slowest[0] < 2.0


def test_an_acknowledged_write_survives_kill_9(tmp_path: Path):
    """Each line printed was acknowledged; whenever the kill comes, it is in the file."""
    order = [sys.executable, "-m", "tests.dalhc.db.killed", str(tmp_path / "k.sqlite3")]
    for moment in (0.2, 0.35, 0.5):
        child = subprocess.Popen(order, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(moment)
        child.kill()
        told = [first, *child.stdout]
        child.stdout.close()
        child.wait()
        acknowledged = {int(line) for line in told if line.endswith("\n")}
        found = subprocess.run(
            [*order, "--read"], capture_output=True, text=True, check=True, cwd=ROOT
        )
        assert acknowledged
        assert acknowledged <= {int(line) for line in found.stdout.split()}
