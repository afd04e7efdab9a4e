"""The judge of histories believes an honest one, and none that was tampered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from processes.journal.commands import AppendStep
from tests.linear.model import Standing, after
from tests.linear.operation import Kind, Operation, Told
from tests.linear.order import NotLinearizable, check

STOP = {"reason": "ask_user", "question": "Which?", "ask_key": "which"}
CHOICE = {"action": "answer", "answer": "eu", "note": "n"}


class Story:
    """A history as it grows: each operation begins and ends after the last one."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.events: list[dict[str, Any]] = []

    def add(self, kind: Kind, body: dict[str, Any], **asked: Any) -> Operation:
        at = float(len(self.operations))
        times: dict[str, Any] = {"begun": at, "ended": at + 0.5, "at_ms": (1_000, 1_000)}
        self.operations.append(Operation(kind, "p", body, **times | asked))
        return self.operations[-1]

    def log(self, kind: str, **data: Any) -> None:
        event = {"seq": len(self.events), "kind": kind, "at_ms": 1_000, "data": data}
        self.events.append(event)

    def told(self) -> Told:
        """As the rules would have it, for the honest one."""
        now = Standing("p")
        changing = [one for one in self.operations if one.status in {200, 201}]
        for event, asked in zip(self.events, changing, strict=True):
            now = after(now, event, asked)
        assert now.head
        return Told(now.head.model_dump(mode="json"), tuple(self.events), {"s": STOP})


def step(number: int) -> dict[str, Any]:
    return {"tool": "run", "args": {"n": number}, "success": True}


def append(story: Story, number: int) -> None:
    body, seq = step(number), sum(event["kind"] == "step" for event in story.events) + 1
    story.log("step", step=seq, key=AppendStep(**body).key, success=True)
    story.add("append", body, status=201, said={"seq": seq})


@pytest.fixture
def story() -> Story:
    """Opened, resumed, two steps, a question, its answer, and on."""
    story = Story()
    story.log("open")
    story.add("open", {"objective": "Tidy", "id": "p"}, status=201)
    story.log("resume", suspension=None, decision=None)
    story.add("resume", {}, status=200, said={"record": {"revision": 1}, "result": "continue"})
    append(story, 0)
    append(story, 1)
    story.log("suspend", suspension="s", reason="ask_user")
    story.add("suspend", STOP, status=200, said={"suspension": {"id": "s"}})
    story.log("decide", suspension="s", decision="d")
    decision = {"id": "d", **CHOICE}
    story.add("decide", CHOICE, stop="s", status=200, said={"decision": decision})
    story.log("resume", suspension="s", decision="d")
    story.add("resume", {}, status=200, said={"record": {"revision": 6}, "result": "continue"})
    return story


def test_an_honest_history_is_believed(story):
    check("p", story.operations, story.told())


def test_answers_that_changed_nothing_are_believed_where_they_fit(story):
    told = story.told()
    story.add("append", step(1), status=200, said={"seq": 2})
    story.add("append", step(5), begun=4.6, ended=4.9, **refused("not_running"))
    check("p", story.operations, told)


@pytest.mark.parametrize("place", range(2, 6))
def test_what_nobody_heard_of_may_have_happened_and_come_late(story, place):
    told, asked = story.told(), story.operations[place]
    unknown = replace(asked, ended=float("inf"), status=None, said={})
    story.operations[place] = unknown
    story.add("append", step(7), ended=float("inf"))  # and this one never did
    check("p", story.operations, told)


def unknown(story: Story, place: int, **body: Any) -> None:
    """This one was told nothing; it asked like so."""
    asked = story.operations[place]
    nothing: dict[str, Any] = {"ended": float("inf"), "status": None, "said": {}}
    story.operations[place] = replace(asked, body=body or asked.body, **nothing)


def test_of_two_that_nobody_heard_of_it_was_the_one_whom_the_rules_let(story):
    told = story.told()
    unknown(story, 1, lease_epoch=7)  # which is overtaken by nobody, for there is no lease
    story.operations[1] = replace(story.operations[1], begun=0.9)
    story.add("resume", {}, begun=1.0, ended=float("inf"))
    check("p", story.operations, told)


def refused(code: str) -> dict[str, Any]:
    return {"status": 409, "said": {"type": f"urn:dalhc:problem:{code}"}}


def without(told: Told, place: int) -> Told:
    kept = [event for event in told.events if event["seq"] != place]
    return numbered(told, kept)


def numbered(told: Told, events: list[dict[str, Any]]) -> Told:
    return replace(told, events=tuple(event | {"seq": n} for n, event in enumerate(events)))


def swapped(told: Told, first: int) -> Told:
    events = [*told.events]
    events[first : first + 2] = reversed(events[first : first + 2])
    return numbered(told, events)


TAMPERED: dict[str, Callable[[Told], Told]] = {
    "an acknowledged step is gone": lambda told: without(told, 3),
    "a step is there twice": lambda told: numbered(told, [*told.events, told.events[3]]),
    "an acknowledged decision is gone": lambda told: without(told, 5),
    "two steps have changed places": lambda told: swapped(told, 2),
    "it was answered before it asked": lambda told: swapped(told, 4),
    "an event is missing from the numbers": lambda told: replace(told, events=told.events[1:]),
    "the record is another": lambda told: replace(told, record=told.record | {"steps_used": 3}),
    "the answer is another": lambda told: replace(
        told, record=told.record | {"principal_answer": "us"}
    ),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_history_is_refused_when(story, how):
    with pytest.raises(NotLinearizable):
        check("p", story.operations, TAMPERED[how](story.told()))


LIES: dict[str, dict[str, Any]] = {
    "a replay names another step": {
        "kind": "append", "body": step(1), "status": 200, "said": {"seq": 1}
    },
    "a step was new though it was recorded": {
        "kind": "append", "body": step(1), "status": 201, "said": {"seq": 3}
    },
    "it still waited after its answer was acknowledged": {
        "kind": "resume", "body": {}, "status": 200,
        "said": {"record": {"revision": 4}, "result": "needs_answer"},
    },
    "it did not run though nobody had stopped it": {
        "kind": "append", "body": step(9), **refused("not_running")
    },
    "nothing was decided though it was": {
        "kind": "take_back", "body": {}, "stop": "s", **refused("nothing_decided")
    },
    "it had ended though nobody ended it": {
        "kind": "complete", "body": {"final_text": "x"}, **refused("process_terminal")
    },
    "a lease was held that nobody took": {
        "kind": "lease", "body": {"owner": "b"}, **refused("leased")
    },
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_history_is_refused_in_which(story, lie):
    told = story.told()
    story.add(**LIES[lie])
    with pytest.raises(NotLinearizable):
        check("p", story.operations, told)


def test_a_step_told_before_another_was_asked_for_cannot_stand_after_it(story):
    """Both are in the log and each is right: only the clock of the callers knows."""
    told = story.told()
    first, second = story.operations[2], story.operations[3]
    story.operations[2] = replace(first, begun=second.begun, ended=second.ended)
    story.operations[3] = replace(second, begun=first.begun, ended=first.ended)
    with pytest.raises(NotLinearizable):
        check("p", story.operations, told)
