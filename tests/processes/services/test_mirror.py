"""A process follows its file: whatever its runtime writes is what the pages show."""

from __future__ import annotations

import json

import pytest

from processes.journal import errors
from processes.journal.canonical import step_key
from processes.models import Event, Process, Suspension, Turn
from processes.services import mirror, passport_check
from processes.services.journals import journal_text
from processes.services.passports import snapshot_of
from processes.services.verifying import verify_chains
from processes.shown.passport import page
from tests import goldens
from tests.chain import assert_chain
from tests.files import Journals
from tests.making import Made, decide, make_process, principal_actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def there(tmp_path):
    return Journals(tmp_path / "journals")


def step(args, success=True):
    return {
        "tool": "run", "args": args, "success": success, "result_digest": "", "artifacts": [],
        "idempotency_key": step_key("run", args),
    }  # fmt: skip


def shown(made: Made) -> dict:
    return json.loads(journal_text(made.id, principal_actor()))


@pytest.mark.parametrize("path", goldens.GOOD, ids=lambda path: path.stem)
def test_R22_a_golden_file_is_mirrored_whole(there, path):
    made = there.golden(path.stem)
    assert made.columns["origin"] == "files"
    text = journal_text(made.id, principal_actor()).encode()
    if path.stem not in goldens.RESPELLED:
        assert text == path.read_bytes()
    assert there.refused == {}
    assert_chain(made.id)


def test_the_same_file_again_changes_nothing(there):
    made = there.golden("running")
    before = made.columns
    there.look("running")
    assert made.columns == before


def test_steps_turns_and_ends_follow(there):
    made = there.put("a", steps=[step("1")], steps_used=1, turns=[])
    there.put("a", steps=[step("1"), step("2", False), step("3")], steps_used=3)
    there.put("a", state="suspended", suspend_reason="guard", question="Stop?")
    there.put("a", state="running", suspend_reason=None, question=None, principal_answer=None,
              turns=[{"role": "user", "content": "go"}])  # fmt: skip
    there.put("a", state="completed")
    assert made.kinds == ["import", "file", "suspend", "resume", "finish"]
    assert shown(made) == there.told("a")
    assert_chain(made.id)


def test_a_question_waits_in_the_inbox_and_leaves_it_with_the_file(there):
    made = there.put("a", state="suspended", suspend_reason="ask_user", question="Which?")
    assert (made.stop.status, made.stop.question) == ("open", "Which?")
    there.put("a", state="running", suspend_reason=None, question=None, principal_answer="eu",
              turns=[{"role": "assistant", "content": "Which?"},
                     {"role": "user", "content": "eu"}])  # fmt: skip
    assert made.stop.status == "superseded"
    again = there.put("a", state="suspended", suspend_reason="ask_user", question="Which?",
                      principal_answer=None)  # fmt: skip
    assert again.suspension_id != made.suspension_id
    assert again.stop.status == "open"


def test_a_question_that_only_got_company_is_the_same_question(there):
    made = there.put("a", state="suspended", suspend_reason="ask_user", question="Which?")
    again = there.put("a", cycle_id="209", updated_at_ms=1_790_000_099_000)
    assert again.suspension_id == made.suspension_id
    assert (again.stop.status, again.columns["cycle_id"]) == ("open", "209")


def test_N16_asked_anew_between_two_looks_is_another_question(there):
    made = there.put("a", state="suspended", suspend_reason="ask_user", question="Which?",
                     principal_answer=None, steps=[], turns=[])  # fmt: skip
    again = there.put("a", turns=[{"role": "assistant", "content": "Which?"},
                                  {"role": "user", "content": "x"}])  # fmt: skip
    assert again.suspension_id != made.suspension_id
    assert made.stop.status == "superseded"


def test_a_history_its_runtime_wrote_anew_is_taken_as_it_is_and_told(there):
    made = there.put("a", steps=[step("1"), step("2")], steps_used=2, turns=[])
    there.put("a", steps=[step("other")], steps_used=1)
    assert shown(made) == there.told("a")
    event = Event.objects.of("a").latest("seq")
    assert json.loads(event.data)["rewritten"] is True
    there.put("a", steps=[], steps_used=0)
    assert shown(made)["steps"] == []


def test_R10_turns_beyond_the_bound_go_on_dropping(there):
    turns = [{"role": "user", "content": f"t{n}", "n": n} for n in range(205)]
    made = there.put("a", turns=turns, steps=[])
    there.put("a", turns=[*turns, {"role": "user", "content": "new"}])
    assert shown(made)["turns"] == [*turns[6:], {"role": "user", "content": "new"}]
    assert Turn.objects.filter(process_id="a").count() == 200
    there.put("a", turns=[*turns[10:], {"role": "user", "content": "new"}])
    assert shown(made)["turns"][0] == turns[10]


@pytest.mark.parametrize("path", goldens.REFUSED, ids=lambda path: path.stem)
def test_K12_a_refused_file_is_listed_and_its_neighbours_are_there(there, path):
    (there.root / path.name).write_bytes(path.read_bytes())
    there.golden("running")
    there.watch.scan()
    assert there.refused[path.name] in {path.stem, "invalid_process_id"}
    assert [*Process.objects.values_list("id", flat=True)] == ["running"]
    assert (there.root / path.name).read_bytes() == path.read_bytes()


def test_a_file_that_breaks_keeps_what_was_read_and_heals(there):
    made = there.golden("suspended-ask_user")
    before = made.columns
    good = (there.root / "suspended-ask_user.json").read_bytes()
    (there.root / "suspended-ask_user.json").write_bytes(good[:-30])
    there.look(made.id)
    assert there.refused == {"suspended-ask_user.json": "not_json"}
    assert made.columns == before
    (there.root / "suspended-ask_user.json").write_bytes(good)
    there.look(made.id)
    assert there.refused == {}


def test_a_file_that_goes_is_told_and_its_process_stays(there):
    made = there.golden("running")
    (there.root / "running.json").unlink()
    there.look("running")
    assert there.refused == {"running.json": "file_gone"}
    assert made.record.state == "running"
    there.golden("running")
    assert there.refused == {}


def test_a_refused_file_that_goes_is_forgotten(there):
    (there.root / "x.json").write_text("{")
    there.look("x")
    (there.root / "x.json").unlink()
    there.look("x")
    assert there.refused == {}


def test_O12_an_id_of_the_api_is_not_taken_over(there):
    made = make_process(id="running")
    before = made.columns
    there.golden("running")
    assert there.refused == {"running.json": "process_exists"}
    assert made.columns == before


def test_O12_a_case_twin_is_refused(there):
    there.golden("running")
    there.put("RUNNING")
    assert there.refused == {"RUNNING.json": "process_exists"}
    assert Process.objects.count() == 1


def test_one_folder_owns_a_process_until_its_file_goes(there, tmp_path):
    made, other = there.golden("running"), Journals(tmp_path / "other")
    other.golden("running")
    assert other.refused == {"running.json": "process_exists"}
    (there.root / "running.json").unlink()
    there.look("running")
    other.put("running", cycle_id="moved")
    assert (other.refused, there.refused) == ({}, {})
    assert made.columns["cycle_id"] == "moved"


def test_a_file_under_anothers_name_is_refused(there):
    (there.root / "other.json").write_bytes(goldens.text("running"))
    there.look("other")
    assert there.refused == {"other.json": "invalid_process_id"}


def test_what_was_read_before_a_newer_write_is_not_mirrored(there):
    made = there.put("a", cycle_id="1")
    old = mirror.look(there.folder, "a.json")
    there.write("a", cycle_id="2")
    newer = mirror.look(there.folder, "a.json")
    assert mirror.take(newer, mirror.read(newer))
    late = mirror.Seen(old.folder, old.name, old.text, old.stamp)
    assert mirror.take(late, mirror.read(late)) is False
    assert made.columns["cycle_id"] == "2"


def test_an_unreadable_file_says_so(there, monkeypatch):
    def denied(name):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(there.folder, "read", denied)
    there.write("a")
    mirror.refresh(there.folder, "a.json")
    assert there.row("a.json").detail == "The file cannot be read: Permission denied."


def test_the_chains_of_mirrored_processes_hold(there):
    from django.db import connection

    made = there.golden("suspended-ask_user")
    decide(made, answer="eu")
    there.put("suspended-ask_user", steps=[])
    make_process(steps=2)
    with connection.cursor() as cursor:
        assert verify_chains(lambda sql: cursor.execute(sql).fetchall()) == 2


def test_a_run_that_went_on_in_its_file_holds_and_so_does_its_passport(there, tmp_path):
    from django.db import connection

    make_process(steps=1, id="z")  # after it: its steps must not be taken for the file's
    there.put("a", steps=[step("1")], steps_used=1, turns=[])
    made = there.put("a", steps=[step("1"), step("2", False), step("3")], steps_used=3)
    with connection.cursor() as cursor:
        assert verify_chains(lambda sql: cursor.execute(sql).fetchall()) == 2
    path = tmp_path / "a.html"
    path.write_text("".join(page(snapshot_of(made.id))))
    assert passport_check.check(path, {}).steps == 3


def test_a_held_reason_is_shown_as_held(there):
    made = there.golden("suspended-guard")
    assert made.stop.held and made.columns["held"]
    assert errors.OwnedByFiles.code == "owned_by_files"
    assert Suspension.objects.open().count() == 1
