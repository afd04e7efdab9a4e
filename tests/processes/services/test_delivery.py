"""What a runtime makes of a decision: told whole, used, received, or sent back."""

from __future__ import annotations

import pytest

from processes import services
from processes.journal import errors
from processes.journal.canonical import step_key
from processes.journal.commands import AppendStep, Nack
from processes.models import Decision, Suspension, Turn
from tests.making import append, decide, make_process, resume, suspend

pytestmark = pytest.mark.django_db
PROPOSED = {"tool": "rm", "args": {"path": "x"}}


@pytest.mark.parametrize(
    ("action", "content", "told"),
    [
        ("approve", {}, ("approve", None, None)),
        ("edit", {"args": {"path": "y", "n": 1.0}}, ("edit", '{"n":1.0,"path":"y"}', None)),
        ("deny", {"note": "never"}, ("deny", None, "never")),
    ],
)
def test_a_decision_on_an_action_is_told_whole_and_adds_no_turn(action, content, told):
    made = make_process(reason="guard", proposed_action=PROPOSED)
    decide(made, action, **content)
    decision = resume(made).decision
    assert (decision.action, decision.args, decision.note) == told
    assert not Turn.objects.exists()


@pytest.mark.parametrize("success", [True, False])
def test_a_denied_call_is_refused_and_no_other(success):
    made = make_process(reason="guard", proposed_action=PROPOSED)
    decide(made, "deny", note="never")
    resume(made)
    before = made.columns
    with pytest.raises(errors.Denied):
        append(made, "rm", args={"path": "x"}, success=success)
    with pytest.raises(errors.Denied):
        append(made, "rm", args='{"path":"x"}')
    assert made.columns == before
    append(made, "rm", args={"path": "y"})
    other = make_process(running=True)
    append(other, "rm", args={"path": "x"})


def test_a_list_with_a_denied_call_stores_nothing():
    made = make_process(reason="guard", proposed_action=PROPOSED)
    decide(made, "deny", note="never")
    resume(made)
    steps = [
        AppendStep(tool="ls", args={}, success=True),
        AppendStep(tool="rm", args={"path": "x"}, success=True),
    ]
    with pytest.raises(errors.Denied):
        services.append(made.id, steps, by=made.by)
    assert made.record.steps == ()


def test_an_edit_says_which_call_was_approved():
    made = make_process(reason="guard", proposed_action=PROPOSED)
    decide(made, "edit", args={"path": "y"})
    assert Decision.objects.get().step_key == step_key("rm", '{"path":"y"}')


def test_a_receipt_is_given_once_and_again_changes_nothing():
    made = make_process(question="Which?")
    with pytest.raises(errors.NothingDecided):
        services.ack(made.suspension_id, by=made.by)
    decide(made, answer="eu")
    with pytest.raises(errors.NothingDecided):
        services.ack(made.suspension_id, by=made.by)
    resume(made)
    assert services.ack(made.suspension_id, by=made.by).status == "used"
    before = made.columns
    assert services.ack(made.suspension_id, by=made.by).status == "used"
    assert made.columns == before
    assert resume(made).decision.answer == "eu"


def test_a_runtime_that_could_not_use_the_answer_says_so_and_is_told_again():
    made = make_process(question="Which?")
    decide(made, answer="moon")
    with pytest.raises(errors.NothingDecided):
        services.nack(made.suspension_id, Nack(error="x"), by=made.by)
    resume(made)
    services.nack(made.suspension_id, Nack(error="no such region"), by=made.by)
    assert made.stop.nack_error == "no such region"
    assert made.kinds[-1] == "nack"
    assert resume(made).decision.answer == "moon"


def test_five_rounds_of_asking_never_mix_their_answers():
    made = make_process(running=True)
    for number in range(5):
        made = suspend(made, question=f"Question {number}?")
        assert resume(made).result == "needs_answer"
        decide(made, answer=f"answer {number}")
        done = resume(made)
        assert done.decision.answer == f"answer {number}"
        assert made.record.principal_answer == f"answer {number}"
        append(made, args={"n": number})
    assert len(made.record.turns) == 10
    assert set(Suspension.objects.values_list("status", flat=True)) == {"used"}
