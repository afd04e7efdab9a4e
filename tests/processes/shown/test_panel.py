from __future__ import annotations

import pytest

from processes.models import Process
from processes.shown.panel import Panel, panel
from tests.making import decide, make_process, principal_actor, resume, reviewer_actor


def shown(made, by=None) -> Panel:
    return panel(Process.objects.get(id=made.id), by or principal_actor())


def test_each_state_has_its_panel(db):
    asking = make_process(question="Which?")
    decided = make_process(question="Which?")
    decide(decided, answer="eu")
    assert shown(asking).kind == "ask"
    assert shown(asking, reviewer_actor()).kind == "read"
    assert shown(decided).kind == "decided"
    assert shown(make_process()).kind == "opened"
    assert shown(make_process(running=True)).kind == "running"
    assert shown(make_process(ended="failed")).kind == "ended"


def test_the_key_changes_with_what_is_shown(db):
    asking = make_process(question="Which?")
    keys = [shown(asking).key]
    decide(asking, answer="eu")
    keys.append(shown(asking).key)
    resume(asking)
    keys.append(shown(asking).key)
    assert len(set(keys)) == 3


def test_next_goes_on_in_the_list_and_round_its_end(db):
    made = [make_process(question=f"Question {number}?") for number in range(3)]
    decide(made[1], answer="x")
    assert shown(made[1]).next.ask == "Question 2?"
    decide(made[2], answer="x")
    assert shown(made[2]).next.ask == "Question 0?"
    decide(made[0], answer="x")
    assert shown(made[0]).next is None


def test_a_reviewer_has_no_next(db):
    asking = make_process(question="Which?")
    make_process(question="When?")
    decide(asking, answer="eu")
    assert shown(asking, reviewer_actor()).next is None


def test_a_proposed_action_keeps_the_agents_words_apart(db):
    action = {"tool": "sh", "args": {"cmd": "rm"}}
    held = make_process(
        reason="guard", question="Tests?", detail="Safe.", proposed_action=action
    )
    found = shown(held)
    assert found.words == ["Tests?", "Safe."]
    assert [one.value for one in found.arguments] == ["rm"]


def test_a_question_is_the_headline_and_its_detail_the_words(db):
    found = shown(make_process(question="Which?", detail="Both exist."))
    assert (found.headline, found.words) == ("Which?", ["Both exist."])


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("guard", "step 3"),
        ("unverified", "verified"),
        ("step_budget", "more steps"),
        ("wall_clock", "more time"),
    ],
)  # fmt: skip
def test_each_reason_says_what_resuming_means(db, reason, word):
    assert word in shown(make_process(reason=reason, steps=2)).consequence
