from __future__ import annotations

import json

import pytest

from processes import services
from processes.models import Draft, Event
from processes.services import Forbidden
from tests.making import (
    decide,
    make_process,
    principal_actor,
    resume,
    reviewer_actor,
    runtime_actor,
)

pytestmark = pytest.mark.django_db


def save(made, text, at, by=None, action="answer"):
    content = {"answer": [text]}
    who = by or principal_actor()
    return services.save_draft(made.suspension_id, action, content, at, by=who)


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
    services.save_draft(made.suspension_id, "answer", content, 1, by=principal_actor())
    [draft] = services.drafts_of(made.stop, by=principal_actor())
    assert json.loads(draft.content) == content


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
    assert not save(made, "late", 9)


def test_nothing_is_kept_of_a_process_that_has_ended():
    made = make_process(question="Which?")
    save(made, "eu", 1)
    decide(made, "stop", note="Enough.")
    assert not Draft.objects.exists()
    assert not save(made, "late", 9)
