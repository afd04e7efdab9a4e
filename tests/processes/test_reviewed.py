"""Each of these was wrong once, and was found by reading the code as an enemy would."""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth import authenticate

from dalhc.db import writer
from dalhc.db.batch import Job
from dalhc.db.queue import WriterThread
from dalhc.db.refusals import Busy, StorageFull
from dalhc.db.sqlite.library import sqlite
from dalhc.environment import Environment
from dalhc.front import append as front
from dalhc.front.body import Body
from dalhc.http import health
from processes.journal import limits
from processes.journal.parse import TooDeep, parse_json
from processes.management import archive
from processes.management.commands import prepare
from processes.management.demo import setting
from processes.models import Artifact, RuntimeKey
from processes.services import steps as step_services
from tests import loops
from tests.processes.api.callers import Caller, code, everything, step
from tests.processes.api.conftest import agent_key, person_key
from tests.processes.api.test_import import MINIMAL


@pytest.fixture
def runtime(db: None) -> Caller:
    return Caller(agent_key("tidier"))


@pytest.fixture
def mia(db: None) -> Caller:
    return Caller(person_key("mia", "principals"))


def test_the_depth_of_an_endless_string_is_counted_in_one_pass():
    body = b"[" * 65 + b'"' + b'\\"' * 120_000
    began = time.perf_counter()
    with pytest.raises(TooDeep):
        parse_json(body, depth=64)
    assert time.perf_counter() - began < 2


def test_brackets_in_strings_do_not_count_whatever_is_escaped_before_them():
    deep = b'{"a":"' + b"[" * 100 + b'\\"' + b"{" * 100 + b'\\\\","b":[' + b"1" + b"]}"
    assert parse_json(deep, depth=2)["b"] == [1]


def test_a_run_at_the_last_step_number_can_go_on_and_be_listed(runtime, mia):
    runtime.post("import", MINIMAL | {"steps_used": limits.STEPS_USED})
    assert runtime.post("processes/run-1/steps", [step(1), step(2)]).status_code == 201
    assert mia.get("processes").json()["results"][0]["steps_used"] == limits.STEPS_USED
    assert runtime.get("processes/run-1/journal").status_code == 200


def test_what_was_denied_and_approved_later_may_be_done(runtime, mia):
    runtime.open(id="a")
    call = {"tool": "pay", "args": {"n": 1}}
    for action, note in (("deny", {"note": "not yet"}), ("approve", {})):
        stop = runtime.ask("a", reason="guard", proposed_action=call)
        assert mia.decide(stop, action, **note).status_code == 200
        runtime.post("processes/a/resume")
        reply = runtime.post("processes/a/steps", call | {"success": True})
        if action == "deny":
            assert code(reply) == (409, "denied")
    assert reply.status_code == 201


def test_an_ended_run_takes_no_complaint_about_its_answer(runtime, mia):
    runtime.open(id="a")
    stop = runtime.ask("a")
    mia.decide(stop, answer="yes")
    runtime.post("processes/a/resume")
    runtime.post("processes/a/complete")
    before = everything()
    reply = runtime.post(f"suspensions/{stop['id']}/nack", {"error": "no"})
    assert code(reply) == (409, "process_terminal")
    assert everything() == before


def test_nothing_is_decided_while_durable_processes_are_off(runtime, mia, settings):
    runtime.open(id="a")
    stop = runtime.ask("a")
    settings.ENVIRONMENT = Environment(DAL_AGENT_RUNTIME_PERSIST="0")
    assert code(mia.decide(stop, answer="yes")) == (503, "persistence_disabled")
    assert code(mia.post("processes/a/stop", {"note": "x"})) == (503, "persistence_disabled")


def test_a_refusal_inside_a_proposed_action_points_into_it(runtime):
    runtime.open(id="a")
    asked = {"reason": "guard", "proposed_action": {"tool": "a\nb", "args": {}}}
    reply = runtime.post("processes/a/suspend", asked)
    assert reply.json()["errors"][0]["pointer"] == "/proposed_action/tool"


def test_artifacts_past_the_bound_leave_no_bytes(runtime, settings, monkeypatch):
    monkeypatch.setattr(limits, "ARTIFACTS_PER_PROCESS", 1)
    runtime.open(id="full")
    runtime.put("processes/full/artifacts/a", b"one")
    folder = settings.DATA_DIR / "artifacts" / "full"
    before = sorted(os.listdir(folder))
    reply = runtime.put("processes/full/artifacts/b", b"two")
    assert code(reply) == (409, "too_many_artifacts")
    assert sorted(os.listdir(folder)) == before
    assert runtime.put("processes/full/artifacts/a", b"three").status_code == 201


def test_a_full_disk_under_an_artifact_is_503(runtime, monkeypatch):
    runtime.open(id="a")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    reply = runtime.put("processes/a/artifacts/x", b"bytes")
    assert code(reply) == (503, "storage_full")
    assert not Artifact.objects.exists()


def test_a_job_that_meets_a_failing_disk_is_told_so():
    told: list[BaseException | None] = []
    job = Job(lambda: None, lambda result, error: told.append(error))
    job.error = sqlite.OperationalError("disk I/O error")
    job.settle()
    [error] = told
    assert isinstance(error, StorageFull)


def test_an_append_stands_when_its_replays_cannot_be_counted(runtime, monkeypatch):
    runtime.open(id="a")
    runtime.post("processes/a/steps", step())

    def full(work: object) -> Future[None]:
        raise Busy

    monkeypatch.setattr(step_services.writer, "submit", full)
    reply = runtime.post("processes/a/steps", step())
    assert (reply.status_code, reply.json()["skipped"]) == (200, True)


def test_a_server_whose_writer_has_ended_is_not_ready(db, monkeypatch):
    ended = WriterThread()
    ended.stop()
    monkeypatch.setattr(writer, "_thread", ended)
    assert health.ready()["writer"] == "The writer has ended."


def test_held_reasons_may_have_spaces_and_must_be_reasons(monkeypatch):
    monkeypatch.setenv("DALHC_HELD_REASONS", "guard, unverified")
    assert Environment().held_reasons == ("guard", "unverified")
    monkeypatch.setenv("DALHC_HELD_REASONS", "gaurd")
    with pytest.raises(ValueError, match="DALHC_HELD_REASONS"):
        Environment()


def test_a_secret_key_is_whole_or_absent(tmp_path, monkeypatch):
    monkeypatch.setenv("DALHC_HOME", str(tmp_path))

    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("dalhc.environment.secrets.token_urlsafe", killed)
    with pytest.raises(KeyboardInterrupt):
        Environment().secret_key()
    monkeypatch.undo()
    monkeypatch.setenv("DALHC_HOME", str(tmp_path))
    assert len(Environment().secret_key()) > 40
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["secret.key"]


@pytest.mark.parametrize(
    ("raw", "accept"), [(b"", b"*/*"), (b"{}", b"text/html")], ids=["no body", "not JSON"]
)
def test_the_short_way_leaves_odd_requests_to_the_ordinary_one(raw, accept, monkeypatch):
    by = front.services.actor_of(RuntimeKey(name="t", agent="tidier", scopes="journal"))
    monkeypatch.setattr(front.services, "known_actor", lambda text: by)
    headers = [(b"authorization", b"Bearer k"), (b"content-type", b"application/json")]
    headers += [(b"accept", accept), (b"content-length", str(len(raw)).encode())]
    path = "/api/v1/processes/a/steps"
    scope = {"method": "POST", "path": path, "query_string": b"", "headers": headers}
    match = re.fullmatch(r".*/(?P<process_id>a)/steps", path)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": raw, "more_body": False}

    assert loops.run(front.append(scope, Body(scope, receive), match)) is None


@pytest.fixture
def fresh(db: None, tmp_path: Path, settings: object) -> Path:
    """A data folder that nobody has used."""
    settings.DATA_DIR = tmp_path  # type: ignore[attr-defined]
    return tmp_path


def test_a_demo_killed_before_its_commit_is_made_anew(fresh, monkeypatch):
    real = setting._save

    def killed(demo: setting.Demo) -> None:
        real(demo)
        raise KeyboardInterrupt

    monkeypatch.setattr(setting, "_save", killed)
    with pytest.raises(KeyboardInterrupt):
        setting.make("http://127.0.0.1:1")
    lost = setting.load("http://127.0.0.1:1")
    monkeypatch.undo()
    demo = prepare._demo("http://127.0.0.1:1")
    assert demo is not None and demo != lost
    assert authenticate(username="admin", password=demo.logins["admin"])


def test_the_demo_names_its_logins_before_it_is_committed(fresh, monkeypatch):
    def killed(demo: setting.Demo) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(setting, "_save", killed)
    with pytest.raises(KeyboardInterrupt):
        setting.make("http://127.0.0.1:1")
    assert setting.is_empty()


def test_the_second_of_two_servers_tells_the_demo_of_the_first(fresh):
    first = setting.make("http://127.0.0.1:1")
    assert setting.make("http://127.0.0.1:1") == first


def test_a_backup_ends_while_others_write(tmp_path):
    source, copy = tmp_path / "a", tmp_path / "b"
    with closing(sqlite.connect(source, isolation_level=None)) as rows:
        rows.execute("PRAGMA journal_mode=WAL")
        rows.execute("CREATE TABLE t (x)")
        rows.execute("CREATE TABLE django_session (x)")
        rows.execute(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) "
            "INSERT INTO t SELECT randomblob(4000) FROM n"
        )
    over = threading.Event()
    writer_of_others = threading.Thread(target=_write_until, args=(source, over))
    copier = threading.Thread(target=archive._copy_database, args=(source, copy), daemon=True)
    writer_of_others.start()
    copier.start()
    copier.join(20)
    over.set()
    writer_of_others.join()
    assert not copier.is_alive()


def _write_until(path: Path, over: threading.Event) -> None:
    with closing(sqlite.connect(path, isolation_level=None, timeout=20)) as rows:
        rows.execute("PRAGMA synchronous=OFF")
        while not over.wait(0.001):
            rows.execute("INSERT INTO t VALUES (1)")
