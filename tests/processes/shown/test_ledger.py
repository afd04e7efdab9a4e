from __future__ import annotations

from io import BytesIO

from dalhc import clock
from processes import services
from processes.models import Process, Turn
from processes.shown.ledger import ledger
from tests.making import append, decide, make_process, principal_actor, resume, suspend

HOUR = 3_600_000


def kinds(made, **page):
    found = ledger(Process.objects.get(id=made.id), "mia", **page)
    return [entry.step.seq if entry.step else entry.label for entry in found.entries]


def test_steps_and_what_lies_between_them_newest_first(db):
    made = make_process(steps=2)
    made = suspend(made, question="Which?")
    decide(made, answer="eu")
    resume(made)
    append(made, args={"after": 1})
    made = suspend(made, reason="guard", detail="Rows.")
    assert kinds(made) == ["Stopped: Guard", 3, "You answered", "Asked", 2, 1]


def test_a_decision_taken_back_stays_in_the_ledger(db):
    made = make_process(question="Which?")
    decide(made, by=principal_actor("ana"), answer="eu")
    services.take_back(made.suspension_id, by=principal_actor("ana"))
    assert kinds(made) == ["ana took it back", "ana answered", "Asked"]


def test_each_entry_stands_on_one_page(db):
    made = make_process(steps=55)
    made = suspend(made, question="Which?")
    decide(made, answer="eu")
    resume(made)
    for number in range(100, 103):
        append(made, args={"n": number})
    first = ledger(Process.objects.get(id=made.id), "mia")
    both = kinds(made) + kinds(made, before=first.older)
    assert len(both) == len(set(both)) == 58 + 2
    assert ledger(Process.objects.get(id=made.id), "mia", first.older).older is None


def test_the_same_call_tried_again_is_named(db):
    made = make_process(running=True)
    append(made, args={"a": 1}, success=False)
    append(made, args={"a": 1})
    newest = ledger(Process.objects.get(id=made.id), "mia").entries[0]
    assert newest.tries == [1]


def test_artifacts_say_whether_their_bytes_are_here(db):
    made = make_process(running=True)
    services.put_artifact(made.id, "here.txt", BytesIO(b"x"), by=made.by)
    append(made, artifacts=["here.txt", "gone.txt"])
    entry = ledger(Process.objects.get(id=made.id), "mia").entries[0]
    assert entry.artifacts == [("here.txt", True), ("gone.txt", False)]


def test_a_long_silence_is_said(db):
    made = make_process(running=True)
    now = clock.now_ms()
    with clock.at(now):
        append(made, args={"n": 1})
    with clock.at(now + 2 * HOUR):
        append(made, args={"n": 2})
    newest, oldest = ledger(Process.objects.get(id=made.id), "mia").entries
    assert (newest.pause, oldest.pause) == ("2 hours", "")


def test_turns_of_an_imported_record_are_shown_too(db):
    made = make_process(running=True)
    Turn.objects.create(process_id=made.id, seq=1, role="assistant", content="Which?", at_ms=1)
    Turn.objects.create(process_id=made.id, seq=2, role="user", content="eu", at_ms=1)
    assert sorted(kinds(made)) == ["Answered", "Asked"]
