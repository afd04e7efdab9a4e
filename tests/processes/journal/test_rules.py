"""The state table of the contract, cell by cell, as pure rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from processes.journal import errors, rules
from processes.journal.commands import OpenProcess, Suspend
from processes.journal.record import INBOX_REASONS, Action, ProcessHead, Reason, State
from processes.journal.rules import Decided, NeedsAnswer

NOW, LATER = 1_000, 2_000
WITHOUT_WORDS = [reason for reason in Reason if reason != Reason.ASK_USER]


def head(state: str = "running", reason: str | None = None, **fields: Any) -> ProcessHead:
    """A head as a store hands it over: known words are members, others stay text."""
    known: dict[str, Any] = {
        "id": "a", "objective": "Tidy", "created_at_ms": NOW, "updated_at_ms": NOW,
        "suspend_reason": Reason(reason) if reason else None,
        "question": "Which?" if reason == "ask_user" else None,
    }  # fmt: skip
    state = State._value2member_map_.get(state, state)
    return ProcessHead.model_construct(**(known | {"state": state} | fields))


CURSOR = object()  # the head comes back as it is
HEADS: dict[str, Callable[[], ProcessHead]] = {
    **{reason: (lambda reason=reason: head("suspended", reason)) for reason in Reason},
    **{
        state: (lambda state=state: head(state)) for state in ("running", "completed", "failed")
    },
    **{state: (lambda state=state: head(state)) for state in ("paused", "Running", "")},
}
VERBS: dict[str, Callable[[ProcessHead], Any]] = {
    "append": lambda head: rules.append(head, LATER),
    "suspend": lambda head: rules.suspend(head, Suspend(reason="guard"), LATER),
    "resume": lambda head: rules.resume(head, None, LATER),
    "resume_told": lambda head: rules.resume(head, Decided("eu"), LATER),
    "complete": lambda head: rules.finish(head, State.COMPLETED, LATER),
    "fail": lambda head: rules.finish(head, State.FAILED, LATER),
    "stop": lambda head: rules.stop(head, LATER),
    "decide": rules.require_asked,
    "next": lambda head: rules.next_action(head, decided=False),
    "next_decided": lambda head: rules.next_action(head, decided=True),
}
NOT_RUNNING = dict.fromkeys(("append", "suspend", "complete", "fail"), errors.NotRunning)
CONTINUES = dict.fromkeys(("next", "next_decided"), Action.CONTINUE)
STOPPED = (
    NOT_RUNNING
    | CONTINUES
    | {"resume": "running", "resume_told": "running", "stop": "failed", "decide": None}
)
ENDED = (
    dict.fromkeys(VERBS, errors.ProcessTerminal)
    | dict.fromkeys(("next", "next_decided"), Action.TERMINAL)
)  # fmt: skip
TABLE: dict[str, dict[str, Any]] = {
    **dict.fromkeys(WITHOUT_WORDS, STOPPED),
    "opened": STOPPED | {"decide": errors.NothingAsked},
    "ask_user": STOPPED | {"resume": NeedsAnswer, "next": Action.NEEDS_ANSWER},
    "running": CONTINUES | {
        "append": "running", "suspend": "suspended", "resume": CURSOR, "resume_told": CURSOR,
        "complete": "completed", "fail": "failed", "stop": "failed",
            "decide": errors.NotSuspended,
    },
    **dict.fromkeys(("completed", "failed"), ENDED),
    **dict.fromkeys(("paused", "Running", ""), dict.fromkeys(VERBS, errors.UnknownState)),
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stands", TABLE)
def test_every_cell_of_the_state_table(stands, verb):
    before, expected = HEADS[stands](), TABLE[stands][verb]
    copy = before.model_copy()
    if isinstance(expected, type):
        with pytest.raises(expected):
            VERBS[verb](before)
    else:
        result = VERBS[verb](before)
        if isinstance(expected, Action) or expected is None:
            assert result is expected
        elif expected is CURSOR:
            assert result.head is before and result.turns == ()
        else:
            assert result.head.state == expected
            assert result.head.updated_at_ms == LATER
    assert before == copy


def test_a_process_opens_suspended_with_its_objective_and_metadata():
    command = OpenProcess(objective=" Tidy\n\u00e9 ", cycle_id="c", objective_class="k")
    opened = rules.open_process(command, "a.b", NOW)
    assert opened.turns == ()
    assert opened.head.model_dump() == {
        "schema_version": 1, "id": "a.b", "objective": " Tidy\n\u00e9 ", "state": "suspended",
        "suspend_reason": "opened", "question": None, "principal_answer": None, "steps_used": 0,
        "cycle_id": "c", "cycle_phase": None, "objective_id": None, "objective_class": "k",
        "objective_due_bucket": None, "created_at_ms": NOW, "updated_at_ms": NOW,
    }  # fmt: skip


def test_an_objective_is_checked_by_the_rule_too():
    with pytest.raises(errors.ObjectiveEmpty):
        rules.open_process(OpenProcess.model_construct(objective=" "), "a", NOW)


def test_a_step_counts_one():
    assert rules.append(head(steps_used=7), NOW).head.steps_used == 8


@pytest.mark.parametrize("reason", INBOX_REASONS)
def test_a_suspension_says_why_and_keeps_its_words(reason):
    stopped = rules.suspend(head(), Suspend(reason=reason, question="Which?"), LATER).head
    assert (stopped.state, stopped.suspend_reason, stopped.question) == (
        State.SUSPENDED, reason, "Which?",
    )  # fmt: skip


def test_asking_without_a_question_is_refused_by_the_rule_too():
    command = Suspend.model_construct(reason="ask_user", question=" ")
    with pytest.raises(errors.QuestionRequired):
        rules.suspend(head(), command, NOW)


def test_a_new_question_clears_the_old_answer():
    asked = rules.suspend(
        head(principal_answer="eu"), Suspend(reason="ask_user", question="Sure?"), NOW
    )
    assert asked.head.principal_answer is None


def test_another_stop_keeps_the_old_answer():
    stopped = rules.suspend(head(principal_answer="eu"), Suspend(reason="guard"), NOW)
    assert stopped.head.principal_answer == "eu"


def test_an_answer_becomes_two_turns_and_the_principals_answer():
    change = rules.resume(head("suspended", "ask_user"), Decided("eu \n"), LATER)
    assert [(turn.role, turn.content) for turn in change.turns] == [
        ("assistant", "Which?"), ("user", "eu \n"),
    ]  # fmt: skip
    told = change.head
    assert (told.state, told.principal_answer) == (State.RUNNING, "eu \n")
    assert (told.suspend_reason, told.question) == (None, None)


@pytest.mark.parametrize("text", [None, "", " \n", "\u3164"])
def test_a_blank_answer_does_not_resume(text):
    with pytest.raises(NeedsAnswer):
        rules.resume(head("suspended", "ask_user"), Decided(text), LATER)


@pytest.mark.parametrize("reason", WITHOUT_WORDS)
@pytest.mark.parametrize("decided", [None, Decided(), Decided("words")])
def test_other_stops_resume_without_words_and_add_no_turn(reason, decided):
    change = rules.resume(head("suspended", reason, principal_answer="old"), decided, LATER)
    assert change.turns == ()
    assert change.head.state is State.RUNNING
    assert change.head.principal_answer == "old"
    assert (change.head.suspend_reason, change.head.question) == (None, None)


@pytest.mark.parametrize("now", [NOW - 500, NOW, NOW + 500])
@pytest.mark.parametrize("verb", ["append", "suspend", "complete", "fail", "stop"])
def test_time_never_goes_backwards(verb, now):
    """Whatever the clock says, the record is not older than it was."""
    moves = {
        "append": lambda: rules.append(head(), now),
        "suspend": lambda: rules.suspend(head(), Suspend(reason="guard"), now),
        "complete": lambda: rules.finish(head(), State.COMPLETED, now),
        "fail": lambda: rules.finish(head(), State.FAILED, now),
        "stop": lambda: rules.stop(head(), now),
    }
    moved = moves[verb]().head
    assert moved.updated_at_ms == max(NOW, now)
    assert moved.created_at_ms == NOW


@pytest.mark.parametrize("reason", INBOX_REASONS)
def test_a_stopped_process_has_neither_reason_nor_question(reason):
    ended = rules.stop(head("suspended", reason), LATER).head
    assert (ended.state, ended.suspend_reason, ended.question) == (State.FAILED, None, None)


def test_an_unknown_state_is_shown_in_ascii_and_short():
    with pytest.raises(errors.UnknownState) as refused:
        rules.next_action(head("\u202e" + "x" * 500), decided=False)
    assert refused.value.detail.isascii() and len(refused.value.detail) < 300


def test_only_a_suspended_question_asks():
    assert rules.asks(head("suspended", "ask_user"))
    assert not rules.asks(head("suspended", "guard", question="Look"))
    assert not rules.asks(head("running", "ask_user"))
