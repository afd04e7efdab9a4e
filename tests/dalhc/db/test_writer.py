"""What the writer promises, with its thread and without: committed when told, alone when it
fails.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from dalhc.db import batch, queue, writer
from dalhc.db.refusals import Busy, StorageFull, refusal
from dalhc.db.sqlite.gate import gate_of

pytestmark = pytest.mark.django_db(transaction=True)


ROOT = Path(__file__).resolve().parents[3]


class Refused(Exception):
    """A service said no."""


@pytest.fixture
def table() -> Iterator[None]:
    run("CREATE TABLE written (n INTEGER UNIQUE)")
    yield
    run("DROP TABLE written")


@pytest.fixture
def thread() -> Iterator[None]:
    writer.start()
    yield
    writer.stop()


@pytest.fixture(params=["inline", "thread"])
def each_mode(request: pytest.FixtureRequest, table: None) -> Iterator[str]:
    if request.param == "thread":
        writer.start()
    yield request.param
    writer.stop()


def run(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def add(n: int) -> int:
    run("INSERT INTO written VALUES (%s)", n)
    return n


def kept() -> list[int]:
    return [n for (n,) in run("SELECT n FROM written ORDER BY n")]


def refuse(n: int) -> None:
    add(n)
    raise Refused(n)


class Held:
    """Keeps the writer busy inside a closure, so that what follows queues behind it."""

    def __enter__(self) -> Held:
        self._free, begun = threading.Event(), threading.Event()

        def hold() -> None:
            begun.set()
            assert self._free.wait(10)

        self.first = writer.submit(hold)
        assert begun.wait(5)
        return self

    def __exit__(self, *error: object) -> None:
        self._free.set()


def test_the_result_comes_back_and_is_kept(each_mode: str):
    assert writer.write(lambda: add(1)) == 1
    assert kept() == [1]


def test_what_fails_is_raised_and_not_kept(each_mode: str):
    with pytest.raises(Refused, match="2"):
        writer.write(lambda: refuse(2))
    writer.write(lambda: add(3))
    assert kept() == [3]


def test_a_write_inside_a_write_joins_it_and_may_fail_alone(each_mode: str):
    def outer() -> None:
        add(1)
        with pytest.raises(Refused):
            writer.write(lambda: refuse(2))
        writer.write(lambda: add(3))

    writer.write(outer)
    assert kept() == [1, 3]


def test_a_write_inside_a_failing_write_is_lost_with_it(each_mode: str):
    def outer() -> None:
        writer.write(lambda: add(1))
        raise Refused

    with pytest.raises(Refused):
        writer.write(outer)
    assert kept() == []


def test_callbacks_run_after_the_commit_and_before_the_caller_goes_on(each_mode: str):
    seen: list[list[int]] = []

    def work() -> None:
        writer.after_commit(lambda: seen.append(kept_by_another_connection()))
        add(1)

    writer.write(work)
    assert seen == [[1]]


def test_callbacks_of_a_failed_write_never_run(each_mode: str):
    rung: list[str] = []

    def inner() -> None:
        writer.after_commit(lambda: rung.append("inner"))
        raise Refused

    def outer() -> None:
        writer.after_commit(lambda: rung.append("outer"))
        with pytest.raises(Refused):
            writer.write(inner)

    writer.write(outer)
    with pytest.raises(Refused):
        writer.write(inner)
    assert rung == ["outer"]


def test_a_failing_callback_hurts_neither_the_write_nor_the_next_callback(each_mode: str):
    rung: list[str] = []

    def work() -> int:
        writer.after_commit(lambda: 1 // 0)
        writer.after_commit(lambda: rung.append("second"))
        return add(1)

    assert writer.write(work) == 1
    assert rung == ["second"]


def test_after_commit_outside_a_write_is_a_mistake():
    with pytest.raises(RuntimeError, match="outside"):
        writer.after_commit(print)


def test_models_and_atomic_work_inside_a_closure(each_mode: str):
    """Trap 5's other half: the ORM sees an open transaction and makes savepoints."""
    told: list[str] = []

    def work() -> str:
        Group.objects.create(name="kept")
        with pytest.raises(IntegrityError), transaction.atomic():
            Group.objects.create(name="kept")
        transaction.on_commit(lambda: told.append("committed"))
        with transaction.atomic():
            Group.objects.update_or_create(name="too")
        return "done"

    assert writer.write(work) == "done"
    assert sorted(Group.objects.values_list("name", flat=True)) == ["kept", "too"]
    assert told == ["committed"]


def test_an_integrity_error_of_a_model_is_the_callers_and_leaves_the_writer_well(
    each_mode: str,
):
    writer.write(lambda: Group.objects.create(name="one"))
    with pytest.raises(IntegrityError):
        writer.write(lambda: Group.objects.create(name="one"))
    writer.write(lambda: Group.objects.create(name="two"))
    assert Group.objects.count() == 2


def test_submit_gives_a_future(each_mode: str):
    assert writer.submit(lambda: add(5)).result(5) == 5
    with pytest.raises(Refused):
        writer.submit(lambda: refuse(6)).result(5)
    assert kept() == [5]


def test_a_written_function_keeps_its_name_and_offers_both_ways(each_mode: str):
    @writer.written
    def append(n: int, *, twice: bool = False) -> int:
        """Append n."""
        add(n)
        return add(n + 100) if twice else n

    assert append(1, twice=True) == 101
    assert append.submit(2).result(5) == 2
    assert append.__name__ == "append"
    assert append.__doc__ == "Append n."
    assert kept() == [1, 2, 101]


def test_what_has_queued_is_committed_once(table: None, thread: None, monkeypatch):
    commits: list[int] = []
    commit = batch._commit
    monkeypatch.setattr(batch, "_commit", lambda: (commits.append(1), commit())[1])
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(20)]
    assert [future.result(5) for future in futures] == list(range(20))
    assert len(commits) == 1
    assert kept() == list(range(20))


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
    commit = batch._commit

    def look() -> None:
        early.extend(future.done() for future in futures)
        commit()

    monkeypatch.setattr(batch, "_commit", look)
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
    def fail() -> None:
        raise OperationalError(said)

    with monkeypatch.context() as patched:
        patched.setattr(batch, "_commit", fail)
        with Held() as held:
            futures = [writer.submit(lambda n=n: add(n)) for n in range(5)]
        assert {type(each.exception(5)) for each in [held.first, *futures]} == {told}
        assert said in writer.trouble()
    assert kept() == []
    writer.write(lambda: add(9))
    assert kept() == [9]
    assert writer.trouble() == ""


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


def test_a_batch_is_bounded(table: None, thread: None, monkeypatch):
    monkeypatch.setattr(queue, "BATCH", 4)
    commits: list[int] = []
    commit = batch._commit
    monkeypatch.setattr(batch, "_commit", lambda: (commits.append(1), commit())[1])
    with Held():
        futures = [writer.submit(lambda n=n: add(n)) for n in range(9)]
    assert [future.result(5) for future in futures] == list(range(9))
    assert len(commits) >= 3


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


@pytest.mark.django_db
def test_in_a_tests_own_transaction_a_write_runs_inline_and_rings_at_once():
    """Trap 5: the writer's thread would neither see that transaction nor get past its gate."""
    rung: list[str] = []

    def work() -> None:
        Group.objects.create(name="seen")
        writer.after_commit(lambda: rung.append("rung"))

    assert connection.in_atomic_block
    writer.write(work)
    assert Group.objects.filter(name="seen").exists()
    assert rung == ["rung"]


def test_start_and_stop_may_be_said_twice(table: None):
    writer.start()
    writer.start()
    assert writer.write(lambda: add(1)) == 1
    writer.stop()
    writer.stop()
    assert writer.write(lambda: add(2)) == 2


def test_only_a_failing_database_becomes_a_problem():
    assert refusal(ValueError("database is locked")) is None
    assert refusal(IntegrityError("UNIQUE constraint failed")) is None
    assert isinstance(refusal(OperationalError("database table is locked")), Busy)


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


def kept_by_another_connection() -> list[int]:
    found: list[list[int]] = []

    def read() -> None:
        found.append(kept())
        connections.close_all()

    reader = threading.Thread(target=read)
    reader.start()
    reader.join()
    return found[0]


def in_threads(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
