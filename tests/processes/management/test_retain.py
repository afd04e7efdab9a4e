"""Retention: written down first, removed after, and still verified."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from dalhc import clock
from processes import services
from processes.journal.commands import Complete
from processes.journal.errors import ProcessExists
from processes.management import archiving
from processes.models import Archived, Artifact, Decision, Event, Process, Step, Suspension
from processes.services.archiving import NotArchived, archive
from tests.making import (
    Made,
    admin_actor,
    append,
    decide,
    make_process,
    principal_actor,
    resume,
)

pytestmark = pytest.mark.django_db
DAY = 86_400_000


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


def run(*words: object) -> str:
    said = io.StringIO()
    call_command(*map(str, words), stdout=said, stderr=said)
    return said.getvalue()


def old(id: str = "old", days: int = 100, **fields: Any) -> Made:
    with clock.at(clock.now_ms() - days * DAY):
        return make_process(id=id, **{"steps": 2, "ended": "completed"} | fields)


def test_by_default_it_says_what_it_would_do_and_does_nothing(tmp_path):
    old()
    make_process(id="new", ended="completed")
    said = run("retain", "--older-than", "90d")
    assert "old, completed" in said and "new" not in said
    assert "1 processes settled before" in said and "With --yes" in said
    assert Process.objects.count() == 2 and not (tmp_path / "archive").exists()


def test_what_settled_long_ago_becomes_a_passport_and_a_stub(tmp_path):
    made = old()
    last = made.row.host
    make_process(id="new", ended="completed")
    run("audit", "checkpoint")
    assert "1 archived" in run("retain", "--older-than", "90d", "--yes")
    assert [process.id for process in Process.objects.all()] == ["new"]
    assert not Step.objects.of("old").exists() and not Event.objects.of("old").exists()
    stub = Archived.objects.get()
    assert (stub.process_id, stub.revision, stub.chain) == ("old", last.revision, last.chain)
    said = run("audit", "verify")
    assert "1 processes with 3 events hold, and 1 archived ones." in said
    assert "1 passports of archived processes hold." in said
    assert "old, completed, holds: 5 events" in run(
        "audit", "verify", tmp_path / "archive" / "old.html"
    )


def test_the_artifacts_bytes_move_beside_it(tmp_path):
    with clock.at(clock.now_ms() - 100 * DAY):
        made = make_process(id="old", steps=1)
        services.put_artifact("old", "x.txt", io.BytesIO(b"hello"), by=made.by)
        services.complete("old", Complete(), by=made.by)
    digest = Artifact.objects.get().sha256
    run("retain", "--older-than", "90d", "--yes")
    assert not Artifact.objects.exists()
    assert (tmp_path / "archive" / "old.files" / digest).read_bytes() == b"hello"
    assert digest in (tmp_path / "archive" / "old.html").read_text()


def test_a_run_with_decisions_leaves_whole():
    with clock.at(clock.now_ms() - 100 * DAY):
        made = make_process(id="old", question="Which?")
        decide(made, answer="eu")
        resume(made)
        append(made)
        services.complete("old", Complete(), by=made.by)
    run("retain", "--older-than", "90d", "--yes")
    assert not Process.objects.exists() and not Suspension.objects.exists()
    assert not Decision.objects.exists()


@pytest.mark.parametrize("kept", ["running", "asking", "files", "young"])
def test_nothing_that_is_still_needed_leaves(kept):
    with clock.at(clock.now_ms() - (1 if kept == "young" else 100) * DAY):
        made = make_process(
            id="a",
            question="Which?" if kept == "asking" else None,
            running=kept == "running",
            ended="completed" if kept in {"files", "young"} else "",
        )
    if kept == "files":
        Process.objects.update(origin="files")
    assert "0 archived" in run("retain", "--older-than", "90d", "--yes")
    assert Process.objects.get().id == made.id


def test_one_with_an_open_suspension_never_leaves():
    """Settled with a question still open: a state no rule makes, and no retention trusts."""
    old(id="a")
    Suspension.objects.create(
        id="susp_1", process_id="a", reason="ask_user", question="?", opened_at_ms=1
    )
    assert "0 archived" in run("retain", "--older-than", "90d", "--yes")
    host = Process.objects.get()
    with pytest.raises(NotArchived, match="open"):
        archive("a", host.revision, host.chain, "f" * 64, by=admin_actor())


def test_what_changed_since_its_passport_stays():
    made = make_process(id="a", ended="completed")
    host = made.row.host
    for revision, chain in ((host.revision - 1, host.chain), (host.revision, "f" * 64)):
        with pytest.raises(NotArchived, match="changed"):
            archive("a", revision, chain, "f" * 64, by=admin_actor())
    assert made.kinds == ["open", "resume", "finish"]


def test_only_an_admin_archives():
    made = make_process(id="a", ended="completed")
    host = made.row.host
    with pytest.raises(services.Forbidden):
        archive("a", host.revision, host.chain, "f" * 64, by=principal_actor())


def test_its_id_stays_taken(tmp_path):
    old(id="a")
    run("retain", "--older-than", "90d", "--yes")
    for again in ("a", "A"):
        with pytest.raises(ProcessExists, match="archived"):
            make_process(id=again)
    with pytest.raises(CommandError, match="archived"):
        run("import", tmp_path / "archive" / "a.html", "--agent", "tidier")


def test_a_passport_that_was_changed_or_is_missing_is_found(tmp_path):
    old(id="a")
    run("audit", "checkpoint")
    run("retain", "--older-than", "90d", "--yes")
    passport = tmp_path / "archive" / "a.html"
    text = passport.read_text()
    passport.write_text(text.replace("Tidy", "Wreck", 1))
    with pytest.raises(CommandError, match=r"a\.html is not the passport that was archived"):
        run("audit", "verify")
    passport.unlink()
    assert "0 passports" in run("audit", "verify")  # its stub ends where the checkpoint does


def test_one_that_went_on_after_the_checkpoint_needs_its_passport(tmp_path):
    with clock.at(clock.now_ms() - 100 * DAY):
        made = make_process(id="a", steps=1)
        run("audit", "checkpoint")
        services.complete("a", Complete(), by=made.by)
    run("retain", "--older-than", "90d", "--yes")
    assert "1 passports" in run("audit", "verify")
    moved = tmp_path / "tape"
    (tmp_path / "archive").rename(moved)
    with pytest.raises(CommandError, match="a: archived after the checkpoint"):
        run("audit", "verify")
    assert "1 passports" in run("audit", "verify", "--archive", moved)


def test_killed_between_the_removal_and_the_artifacts_the_next_run_moves_them(
    tmp_path, monkeypatch
):
    with clock.at(clock.now_ms() - 100 * DAY):
        made = make_process(id="old", running=True)
        services.put_artifact("old", "x.txt", io.BytesIO(b"hello"), by=made.by)
        services.complete("old", Complete(), by=made.by)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "move_artifacts", killed)
        with pytest.raises(KeyboardInterrupt):
            run("retain", "--older-than", "90d", "--yes")
    assert (tmp_path / "artifacts" / "old").is_dir()
    run("retain", "--older-than", "90d", "--yes")
    assert (tmp_path / "archive" / "old.files").is_dir()


@pytest.mark.parametrize("age", ["90", "d", "-1d", "90h", "1e3d"])
def test_an_age_is_in_days(age):
    with pytest.raises((CommandError, SystemExit)):
        run("retain", f"--older-than={age}")


def test_its_page_says_where_it_went(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("rob"))
    old(id="a")
    run("retain", "--older-than", "90d", "--yes")
    answer = client.get("/processes/a/")
    assert answer.status_code == 404
    assert "Its passport is archive/a.html." in answer.content.decode()
