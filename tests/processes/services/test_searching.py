"""What was written just now is found by its words; a search is never a command."""

from __future__ import annotations

import pytest

from processes.models import SearchMark
from processes.services import searching
from processes.store import search
from tests.making import append, make_process, suspend
from tests.processes.views.conftest import logged_in

pytestmark = pytest.mark.django_db


def found(text: str) -> list[str]:
    return searching.find_processes(text, 50)


def test_each_text_of_a_process_finds_it():
    made = make_process(objective="Reconcile the March ledger", agent="clerk", running=True)
    append(made, "read_ledger", args={}, result_digest="four hundred and nine entries")
    suspend(made, question="Which bucket is the source of truth?")
    other = make_process(objective="Something else", running=True)
    for words in (
        "reconcile march", "clerk", "read_ledger", "hundred entries", "bucket truth", "RECONC",
        made.id,
    ):  # fmt: skip
        assert found(words) == [made.id], words
    assert found("something") == [other.id]
    assert found("march bucket") == []  # every word in one text


def test_accents_and_case_do_not_matter():
    made = make_process(objective="Inês reconciles", running=True)
    assert found("INES") == [made.id]


@pytest.mark.parametrize(
    "text", ['"', "a OR", "NEAR(", "*", "body:x", "-x", "%", "'; DROP TABLE x", "(", "", "  "]
)
def test_no_sign_is_a_command(text):
    make_process(objective="x", running=True)
    assert found(text) in ([], found("x"))


def test_the_newest_is_first_and_each_is_there_once():
    made = [make_process(objective=f"Ledger {n}", running=True) for n in range(3)]
    append(made[0], "run", args={}, result_digest="ledger ledger")
    assert found("ledger") == [made[0].id, made[2].id, made[1].id]


def test_what_came_behind_many_other_events_is_found_too(monkeypatch):
    monkeypatch.setattr(searching, "BATCH", 2)
    monkeypatch.setattr(search, "EVENTS", 1)
    old = make_process(objective="Old", running=True)
    searching.sweep()
    for n in range(3):
        append(old, "run", args={"n": n})
    new = make_process(objective="Fresh", running=True)
    assert found("fresh") == [new.id]


def test_the_index_takes_in_each_row_once_and_begins_anew_when_its_marks_are_gone():
    make_process(objective="Ledger", running=True)
    searching.sweep()
    assert not search.waits() and searching.index() == 0
    SearchMark.objects.all().delete()
    searching.sweep()
    assert len(search.find("ledger", 10)) == 1


def test_one_kind_can_be_asked_for():
    made = make_process(objective="Ledger", question="Which ledger?")
    searching.sweep()
    assert search.find("ledger", 10, "suspension") == [(made.suspension_id, made.id)]


def test_the_page_finds_tools_and_digests():
    made = make_process(objective="Plain", running=True)
    append(made, "fetch_statement", args={}, result_digest="opening 18,204.11 EUR")
    page = logged_in("ana", "principals").get("/search/?q=fetch_statement").content.decode()
    assert f"/processes/{made.id}/" in page
