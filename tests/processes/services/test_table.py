"""The state table of the contract, cell by cell, through the services and the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from processes import services
from processes.journal import errors
from processes.journal.commands import Complete, Fail, Stop, Suspend
from processes.journal.record import Action
from processes.models import Event, Process
from tests.databases import unchecked
from tests.making import (
    Made,
    append,
    choice,
    decide,
    make_process,
    principal_actor,
    resume,
    suspend,
)

pytestmark = pytest.mark.django_db

PROPOSED = {"tool": "rm", "args": {"path": "x"}}


def decided(made: Made, action: str, **content: Any) -> Made:
    decide(made, action, **content)
    return made


def in_state(made: Made, state: str) -> Made:
    """As a later version of the software might have left it; today's table refuses the word."""
    with unchecked("process_state", "process_reason_iff_suspended"):
        Process.objects.filter(id=made.id).update(state=state)
    return made


STANDS: dict[str, Callable[[], Made]] = {
    "opened": make_process,
    "asking": lambda: make_process(question="Which?"),
    "answered": lambda: decided(make_process(question="Which?"), "answer", answer="eu"),
    "declined": lambda: decided(make_process(question="Which?"), "decline", note="no"),
    "guard": lambda: make_process(reason="guard"),
    "guard, approved": lambda: decided(make_process(reason="guard"), "approve"),
    "unverified, with an action": lambda: make_process(
        reason="unverified", proposed_action=PROPOSED
    ),
    "budget, held": lambda: make_process(reason="step_budget", hold=True),
    "step_budget": lambda: make_process(reason="step_budget"),
    "wall_clock": lambda: make_process(reason="wall_clock"),
    "running": lambda: make_process(running=True),
    "completed": lambda: make_process(ended="completed"),
    "failed": lambda: make_process(ended="failed"),
    "unknown": lambda: in_state(make_process(running=True), "paused"),
    "unknown, was asking": lambda: in_state(make_process(question="Which?"), "Suspended"),
    "unknown, was answered": lambda: in_state(
        decided(make_process(question="Which?"), "answer", answer="eu"), "paused"
    ),
    "unknown, was held": lambda: in_state(make_process(reason="guard"), "paused"),
}


def ask(made: Made, question: str) -> Any:
    return services.suspend(made.id, Suspend(reason="ask_user", question=question), by=made.by)


def answer(made: Made, action: str, **content: Any) -> Any:
    """A decision about the open suspension, or about one that ended long ago."""
    if not made.suspension_id:
        made = ended_stop(made)
    return services.decide(
        made.suspension_id, choice(made, action, **content), by=principal_actor()
    )


def ended_stop(made: Made) -> Made:
    """Give the process a suspension that is over, so that there is something to name."""
    from processes.models import Suspension

    row = made.row
    stop = Suspension.objects.create(
        id=f"susp_{made.id}"[:48], process_id=made.id, reason="ask_user", question="Old?",
        status="superseded", opened_at_ms=row.head.created_at_ms,
    )  # fmt: skip
    return Made(made.id, stop.id, made.agent)


VERBS: dict[str, Callable[[Made], Any]] = {
    "append": append,
    "suspend again": lambda made: ask(made, "Which?"),
    "suspend otherwise": lambda made: ask(made, "Another?"),
    "answer": lambda made: answer(made, "answer", answer="eu"),
    "answer otherwise": lambda made: answer(made, "answer", answer="us"),
    "approve": lambda made: answer(made, "approve"),
    "deny": lambda made: answer(made, "deny", note="no"),
    "edit": lambda made: answer(made, "edit", args={"path": "y"}),
    "decide stop": lambda made: answer(made, "stop", note="no"),
    "take back": lambda made: services.take_back(made.suspension_id or "none",
        by=principal_actor()),
    "resume": resume,
    "complete": lambda made: services.complete(made.id, Complete(), by=made.by),
    "complete otherwise": lambda made: services.complete(made.id, Complete(final_text="x"),
        by=made.by),
    "fail": lambda made: services.fail(made.id, Fail(), by=made.by),
    "stop": lambda made: services.stop(made.id, Stop(note="no"), by=principal_actor()),
    "next": lambda made: services.next_step(made.id, by=made.by),
}  # fmt: skip

# What becomes of it: a problem; a word is the state afterwards, with one event more; SAME means
# a reply and no write at all; an Action is resume's result or next's answer, without a write.
SAME = "same"
NOT_RUNNING: dict[str, Any] = dict.fromkeys(
    ("append", "suspend again", "suspend otherwise", "complete", "complete otherwise", "fail"),
    errors.NotRunning,
)
NO_ACTION = dict.fromkeys(("deny", "edit"), errors.ActionNotOffered)
NO_ANSWER = dict.fromkeys(("answer", "answer otherwise"), errors.ActionNotOffered)
DECISIONS = ("answer", "answer otherwise", "approve", "deny", "edit", "decide stop")
NO_DECISION = {"take back": errors.NothingDecided}
NO_SUSPENSION = {"take back": errors.ProcessNotFound}
STOPPED = NOT_RUNNING | NO_ACTION | NO_ANSWER | NO_DECISION | {
    "approve": "suspended", "decide stop": "failed", "resume": "running", "stop": "failed",
    "next": Action.CONTINUE,
}  # fmt: skip
HELD = STOPPED | {"resume": errors.ApprovalRequired}
DECIDED = dict.fromkeys(DECISIONS, errors.AlreadyAnswered) | {"take back": "suspended"}
ENDED = dict.fromkeys(VERBS, errors.ProcessTerminal) | NO_SUSPENSION | {
    "resume": Action.TERMINAL, "next": Action.TERMINAL,
}  # fmt: skip
UNKNOWN = dict.fromkeys(VERBS, errors.UnknownState)
TABLE: dict[str, dict[str, Any]] = {
    "opened": STOPPED | NO_SUSPENSION | dict.fromkeys(DECISIONS, errors.NotSuspended),
    "asking": STOPPED | {
        "suspend again": SAME, "answer": "suspended", "answer otherwise": "suspended",
        "approve": errors.ActionNotOffered, "resume": Action.NEEDS_ANSWER,
        "next": Action.NEEDS_ANSWER,
    },
    "answered": STOPPED | DECIDED | {"answer": SAME},
    "declined": STOPPED | DECIDED,
    "guard": HELD,
    "guard, approved": STOPPED | DECIDED | {"approve": SAME},
    "unverified, with an action": HELD | dict.fromkeys(
        ("deny", "edit", "answer", "answer otherwise"), "suspended"
    ),
    "budget, held": HELD,
    "step_budget": STOPPED,
    "wall_clock": STOPPED,
    "running": NO_SUSPENSION | dict.fromkeys(DECISIONS, errors.NotSuspended) | {
        "append": "running", "suspend again": "suspended", "suspend otherwise": "suspended",
        "resume": Action.CONTINUE, "complete": "completed", "complete otherwise": "completed",
        "fail": "failed", "stop": "failed", "next": Action.CONTINUE,
    },
    "completed": ENDED | {"complete": SAME},
    "failed": ENDED | {"fail": SAME},
    **dict.fromkeys([name for name in STANDS if name.startswith("unknown")], UNKNOWN),
    "unknown": UNKNOWN | NO_SUSPENSION,
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("stands", STANDS)
def test_every_cell_of_the_state_table(stands, verb):
    made, expected = STANDS[stands](), TABLE[stands][verb]
    before, events = made.columns, Event.objects.count()
    if isinstance(expected, type):
        with pytest.raises(expected):
            VERBS[verb](made)
    else:
        result = VERBS[verb](made)
    if isinstance(expected, str) and not isinstance(expected, Action) and expected != SAME:
        assert made.columns["state"] == expected
        assert made.columns["revision"] == before["revision"] + 1
        assert Event.objects.count() == events + 1
        return
    if isinstance(expected, Action):
        assert getattr(result, "result" if verb == "resume" else "next_action") is expected
    assert made.columns == before
    assert Event.objects.count() == events


def test_the_table_has_every_cell():
    assert set(TABLE) == set(STANDS)
    assert {frozenset(row) for row in TABLE.values()} == {frozenset(VERBS)}


@pytest.mark.parametrize("stands", ["guard", "unverified, with an action", "budget, held"])
def test_a_held_process_says_continue_and_that_it_is_held(stands):
    """The hold is policy and stands beside the contract's word."""
    made = STANDS[stands]()
    held = services.next_step(made.id, by=made.by)
    assert (held.next_action, held.held, held.is_settled) == (Action.CONTINUE, True, False)
    decide(made, "approve")
    free = services.next_step(made.id, by=made.by)
    assert (free.next_action, free.held, free.is_settled) == (Action.CONTINUE, False, True)


def test_a_suspension_asked_again_is_the_same_suspension():
    made = make_process(question="Which?", detail="d", options=["a", "b"])
    again = suspend(made, question="Which?", detail="d", options=["a", "b"])
    assert again.suspension_id == made.suspension_id


@pytest.mark.parametrize(
    "change", [{"detail": "e"}, {"options": ["a"]}, {"question": "Which ?"}]
)
def test_a_suspension_asked_otherwise_is_not_a_replay(change):
    made = make_process(question="Which?", detail="d", options=["a", "b"])
    with pytest.raises(errors.NotRunning):
        suspend(made, **({"question": "Which?", "detail": "d", "options": ["a", "b"]} | change))
