"""A watched folder: every rename is seen, whatever goes wrong beside it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from dalhc.db import writer
from processes.bridge import watch as watching
from processes.bridge.watch import Watch
from processes.models import JournalFile, Process
from processes.services import decisions, mirror
from tests import goldens
from tests.files import Journals
from tests.making import Made, choice, principal_actor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def there(tmp_path) -> Journals:
    return Journals(tmp_path / "journals")


@pytest.fixture
def watched(there) -> Iterator[Journals]:
    """The folder, watched in a thread beside a writer, as on a server."""
    stop = threading.Event()
    writer.start()
    thread = threading.Thread(target=_run, args=(there.watch, stop))
    thread.start()
    yield there
    stop.set()
    thread.join(20)
    writer.stop()
    assert not thread.is_alive()


def _run(watch: Watch, stop: threading.Event) -> None:
    from django.db import connection

    watch.run(stop)
    connection.close()


def eventually(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


def state(id: str) -> str | None:
    return Process.objects.filter(id=id).values_list("state", flat=True).first()


def test_what_a_runtime_writes_is_seen_change_by_change(watched):
    watched.write("a", state="running")
    eventually(lambda: state("a") == "running")
    watched.write("a", state="suspended", suspend_reason="ask_user", question="Which?")
    eventually(lambda: state("a") == "suspended")
    watched.write("a", state="completed", suspend_reason=None, question=None)
    eventually(lambda: state("a") == "completed")
    (watched.root / "a.json").unlink()
    eventually(lambda: watched.refused == {"a.json": "file_gone"})


def test_a_file_that_was_there_before_the_start_is_seen(there):
    there.write("a")
    there.watch.scan()
    assert state("a") == "running"
    assert len(there.watch) == 1


def test_a_decision_that_was_left_is_written(watched):
    shutil.copy(goldens.JOURNALS / "suspended-ask_user.json", watched.root)
    eventually(lambda: state("suspended-ask_user") == "suspended")
    made = watched.look("suspended-ask_user")
    seen = choice(made, answer="Müller")
    decisions.decide(made.suspension_id, seen, by=principal_actor())
    eventually(lambda: watched.told(made.id)["principal_answer"] == "Müller")
    eventually(lambda: Made(made.id).columns["decided"] is False)
    assert made.stop.status == "delivered"


def test_a_folder_that_goes_and_comes_back_is_watched_again(watched, caplog):
    watched.write("a")
    eventually(lambda: state("a") == "running")
    shutil.rmtree(watched.root)
    eventually(lambda: watched.watch.trouble or watched.root.is_dir())
    watched.root.mkdir(exist_ok=True)
    watched.write("b")
    eventually(lambda: state("b") == "running")
    eventually(lambda: watched.refused == {"a.json": "file_gone"})
    assert watched.watch.trouble == ""


def test_F20_a_folder_that_is_a_link_is_not_watched(tmp_path, caplog):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    watch, stop = Watch(tmp_path / "link"), threading.Event()
    thread = threading.Thread(target=_run, args=(watch, stop))
    thread.start()
    eventually(lambda: watch.trouble)
    stop.set()
    thread.join(20)
    assert "link" in watch.trouble
    assert "is not watched" in caplog.text


def test_unchanged_files_are_not_read_again(there, monkeypatch):
    there.write("a")
    there.write("b")
    there.watch.scan()
    read = []
    monkeypatch.setattr(mirror, "look", lambda folder, name: read.append(name))
    there.watch.scan()
    again = Watch(there.root)
    again._known = watching._known(there.root)
    again.scan()
    assert read == []


def test_unfinished_writes_are_listed_once_they_are_old(there):
    for name in ("young.json.tmp", "old.json.tmp", ".hidden.tmp", "note.txt"):
        (there.root / name).write_text("x")
    os.utime(there.root / "old.json.tmp", (1, 1))
    there.watch.scan()
    assert there.refused == {"old.json.tmp": "unfinished_write"}
    (there.root / "old.json.tmp").unlink()
    there.watch.scan()
    assert there.refused == {}


def test_what_is_no_plain_file_is_listed(there):
    (there.root / "link.json").symlink_to("/etc/passwd")
    (there.root / "folder.json").mkdir()
    os.mkfifo(there.root / "pipe.json")
    there.write("a")
    there.watch.scan()
    assert there.refused == dict.fromkeys(
        ("folder.json", "link.json", "pipe.json"), "not_a_file"
    )
    assert state("a") == "running"


def test_a_name_that_is_no_text_is_listed_and_stops_nothing(there):
    (there.root / os.fsdecode(b"\xff\xfe.json")).write_text("{")
    there.write("a")
    there.watch.scan()
    assert state("a") == "running"
    assert JournalFile.objects.refused().count() == 1
    there.watch.scan()


def test_a_refusal_that_may_pass_is_looked_at_again(there):
    other = Journals(there.root.parent / "other")
    other.write("a")
    other.watch.scan()
    there.write("a")
    there.watch.scan()
    assert there.refused == {"a.json": "process_exists"}
    (other.root / "a.json").unlink()
    other.watch.scan()
    there.watch.scan()
    assert there.refused == {}


def test_a_database_that_is_busy_loses_no_file(there, monkeypatch):
    there.write("a")
    real = mirror.take.submit

    def busy(*_):
        raise writer.Busy

    monkeypatch.setattr(mirror.take, "submit", busy)
    with pytest.raises(writer.Busy):
        there.watch.scan()
    monkeypatch.setattr(mirror.take, "submit", real)
    assert there.refused == {}
    there.watch.scan()
    assert state("a") == "running"
