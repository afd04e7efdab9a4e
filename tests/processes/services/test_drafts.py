from __future__ import annotations

import json

import pytest

from dalhc import clock
from processes import services
from processes.journal.attention import Claim
from processes.journal.commands import Stop
from processes.journal.drafting import SaveDraft
from processes.journal.errors import AlreadyAnswered
from processes.models import Draft, Event, Process, Suspension
from processes.services import Forbidden
from processes.services.archiving import archive
from tests.files import Journals
from tests.making import (
    admin_actor,
    decide,
    make_process,
    principal_actor,
    resume,
    reviewer_actor,
    runtime_actor,
    suspend,
)

pytestmark = pytest.mark.django_db


def save(made, text, at, by=None, action="answer"):
    who = by or principal_actor()
    return services.save_draft(made.suspension_id, draft(at, action, answer=[text]), by=who)


def draft(at, action="answer", **content):
    return SaveDraft(action=action, content=content, typed_at_ms=at)


def texts(made, by=None):
    found = services.drafts_of(made.stop, by=by or principal_actor())
    return [json.loads(one.content)["answer"][0] for one in found]


def test_b50_the_last_keystroke_wins_in_whatever_order_requests_arrive():
    made = make_process(question="Which?")
    assert save(made, "eu", 20)
    assert not save(made, "e", 10)
    assert texts(made) == ["eu"]
    assert save(made, "eu-", 30)
    assert texts(made) == ["eu-"]


def test_b56_a_part_of_several_answers_is_kept():
    made = make_process(question="Three things?", response_schema={"type": "object"})
    content = {"f0": ["one"], "f1": [""], "f2": ["a", "b"]}
    services.save_draft(made.suspension_id, draft(1, **content), by=principal_actor())
    [kept] = services.drafts_of(made.stop, by=principal_actor())
    assert json.loads(kept.content) == content


def test_a_draft_is_its_writers_own_and_no_event():
    made = make_process(question="Which?")
    events = Event.objects.count()
    save(made, "mine", 1)
    save(made, "theirs", 1, by=principal_actor("ana"))
    assert texts(made) == ["mine"]
    assert Event.objects.count() == events


@pytest.mark.parametrize("by", [runtime_actor(), reviewer_actor()])
def test_only_who_may_decide_writes_a_draft(by):
    made = make_process(question="Which?")
    with pytest.raises(Forbidden):
        save(made, "x", 1, by=by)


def test_a_draft_comes_back_with_a_decision_taken_back_and_goes_when_it_is_picked_up():
    made = make_process(question="Which?")
    save(made, "eu", 1)
    save(made, "perhaps us", 1, by=principal_actor("ana"))
    decide(made, answer="eu")
    services.take_back(made.suspension_id, by=principal_actor())
    assert texts(made) == ["eu"]
    decide(made, answer="eu")
    resume(made)
    assert texts(made) == []
    assert texts(made, by=principal_actor("ana")) == ["perhaps us"]
    with pytest.raises(AlreadyAnswered):
        save(made, "late", 9)


def left(made, by=None):
    """The texts this person never sent, with the suspension each was meant for."""
    found = services.left_drafts(made.id, "", by=by or principal_actor())
    return [(one.suspension_id, json.loads(one.content)["answer"][0]) for one in found]


def test_what_was_sent_is_no_draft_of_a_process_that_has_ended():
    made = make_process(question="Which?")
    save(made, "eu", 1)
    save(made, "us", 1, by=principal_actor("ana"))
    decide(made, "stop", note="Enough.")
    assert left(made) == []
    with pytest.raises(AlreadyAnswered):
        save(made, "late", 9)
    assert left(made, by=principal_actor("ana")) == [(made.suspension_id, "us")]


def ends(made):
    services.stop(made.id, Stop(note="Enough."), by=principal_actor("ana"))


def goes_on(made):
    decide(made, answer="us", by=principal_actor("ana"))
    resume(made)


def asks_again(made):
    goes_on(made)
    suspend(made, question="And now?")


def runs_out(made):
    over = clock.now_ms() + 1_000
    times = {"expires_at_ms": over, "on_timeout": "decline"}
    Suspension.objects.filter(id=made.suspension_id).update(**times)
    with clock.at(over):
        services.expire(made.suspension_id)
    assert made.stop.status == "expired"
    resume(made)


def is_claimed(made):
    services.claim(made.suspension_id, Claim(), by=principal_actor("ana"))


@pytest.mark.parametrize("goes_away", [ends, goes_on, asks_again, runs_out, is_claimed])
def test_text_outlives_its_question_until_its_writer_forgets_it(goes_away):
    made = make_process(question="Which?")
    save(made, "eu, bec", 1)
    goes_away(made)
    assert save(made, "eu, because", 2)
    assert left(made) == [(made.suspension_id, "eu, because")]
    assert left(made, by=principal_actor("ana")) == []
    services.forget_draft(made.suspension_id, by=principal_actor("ana"))
    assert len(left(made)) == 1
    services.forget_draft(made.suspension_id, by=principal_actor())
    assert not Draft.objects.exists()


def test_the_drafts_of_both_who_agreed_go_when_it_is_picked_up(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"two_approvals": ("guard",)})
    call = {"tool": "t", "args": {"n": 1}}
    made = make_process(reason="guard", proposed_action=call)
    ana, ben, cara = (principal_actor(name) for name in ("ana", "ben", "cara"))
    for who in (ana, ben, cara):
        services.save_draft(made.suspension_id, draft(1, "edit", f0=["2"]), by=who)
    for who in (ana, ben):
        decide(made, "edit", by=who, args='{"n":2}')
    resume(made)
    assert [one.by for one in Draft.objects.all()] == [str(cara)]


def test_what_someone_typed_after_their_vote_is_left_to_them(settings):
    settings.ENVIRONMENT = settings.ENVIRONMENT.model_copy(update={"two_approvals": ("guard",)})
    made = make_process(reason="guard", proposed_action={"tool": "t", "args": {}})
    ana, ben = principal_actor("ana"), principal_actor("ben")
    decide(made, "approve", by=ana)
    with clock.at(clock.now_ms() + 1_000):
        services.save_draft(made.suspension_id, draft(2, "deny", note=["or not"]), by=ana)
    decide(made, "approve", by=ben)
    resume(made)
    assert [one.action for one in Draft.objects.all()] == ["deny"]
    assert len(services.left_drafts(made.id, "", by=ana)) == 1


def test_a_process_that_is_removed_takes_its_drafts_along():
    made = make_process(question="Which?")
    save(made, "eu", 1)
    ends(made)
    stands = Process.objects.get(id=made.id)
    archive(made.id, stands.revision, stands.chain, "0" * 64, by=admin_actor())
    assert not Draft.objects.exists()


def test_what_is_written_to_the_file_is_no_draft_any_more(tmp_path):
    asks = Journals(tmp_path / "journals").golden("suspended-ask_user")
    for who in ("mia", "ana"):
        typed = SaveDraft(action="answer", content={"answer": ["Mül"]})
        services.save_draft(asks.suspension_id, typed, by=principal_actor(who))
    decide(asks, answer="Müller")
    assert [one.by for one in Draft.objects.all()] == ["principal:ana"]
    [left] = services.left_drafts(asks.id, "", by=principal_actor("ana"))
    assert left.suspension_id == asks.suspension_id
