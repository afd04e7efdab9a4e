"""Similar questions, what was answered, and using it again."""

from __future__ import annotations

import pytest

from processes import services
from processes.services import searching
from tests.making import decide, make_process, principal_actor, resume

pytestmark = pytest.mark.django_db


def answered(question, answer, **more):
    made = make_process(question=question, **more)
    decide(made, answer=answer)
    resume(made)
    return made


def past(made):
    searching.sweep()
    return services.past_answers(made.stop, by=principal_actor())


def test_the_most_alike_of_the_same_agent_come_first():
    answered("Which region for the archive?", "eu")
    near = answered("Which region should the invoice bucket be in?", "us")
    answered("How long may the build take?", "an hour")
    asking = make_process(question="Which region should the backup bucket be in?")
    assert [one.answer for one in past(asking)] == ["us", "eu"]
    first = past(asking)[0]
    assert (first.process_id, first.by, first.state) == (near.id, "principal:mia", "running")


def test_another_agents_only_within_the_same_class():
    answered("Which bucket is right?", "the old one", agent="other")
    kin = {"objective_class": "reconcile"}
    answered("Which bucket is right?", "the new one", agent="other", metadata=kin)
    asking = make_process(question="Which bucket is right?", metadata=kin)
    assert [one.answer for one in past(asking)] == ["the new one"]


def test_only_what_was_handed_over_and_not_taken_back():
    open_one = make_process(question="Which bucket is right?")
    waiting = make_process(question="Which bucket is right?")
    decide(waiting, answer="eu")
    declined = make_process(question="Which bucket is right?")
    decide(declined, "decline", note="no")
    resume(declined)
    assert past(open_one) == []


@pytest.mark.parametrize("question", ['" OR *', "?", "a b c", "NEAR( x", "émoji 🙂"])
def test_no_sign_of_a_question_is_a_command(question):
    asking = make_process(question=question)
    assert past(asking) == []


def test_a_stop_that_asks_nothing_has_none():
    assert past(make_process(reason="guard", question="Which bucket is right?")) == []
