"""A process as the pure rules have it: what each operation is answered, and changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dalhc.problems import Problem
from processes import policy
from processes.journal import errors, fence, rules
from processes.journal.commands import AppendStep, OpenProcess, Suspend
from processes.journal.record import TERMINAL, Action, ProcessHead, State
from tests.linear.operation import Operation

NEW = ("new",)
type Answer = tuple[Any, ...]  # NEW, ("same", detail) or ("refused", code)


@dataclass(frozen=True)
class Standing:
    """After so many events. `said` holds the live decision of each stop that has one."""

    id: str
    head: ProcessHead | None = None
    keys: dict[str, int] = field(default_factory=dict)  # of successes, with their seq
    tries: dict[str, int] = field(default_factory=dict)  # by attempt id
    steps: int = 0
    stop: str | None = None
    stops: dict[str, Suspend] = field(default_factory=dict)
    said: dict[str, tuple[str, str]] = field(default_factory=dict)  # decision id, words
    held: bool = False
    decided: bool = False
    epoch: int = 0
    owner: str | None = None
    until_ms: int | None = None
    outcome: str | None = None


def answers(now: Standing, asked: Operation) -> set[Answer]:
    """What the rules answer here: more than one when the moment within the call decides."""
    return {_answer(now, asked, at_ms) for at_ms in asked.at_ms}


def _answer(now: Standing, asked: Operation, at_ms: int) -> Answer:
    try:
        return _ANSWERS[asked.kind](now, asked, at_ms)
    except Problem as problem:
        return ("refused", problem.code)


def _head(now: Standing) -> ProcessHead:
    if now.head is None:
        raise errors.ProcessNotFound
    return now.head


def _open(now: Standing, asked: Operation, at_ms: int) -> Answer:
    if now.head is None:
        return NEW
    if now.head.objective != asked.body["objective"]:
        raise errors.ProcessExists
    return ("same",)


def _append(now: Standing, asked: Operation, at_ms: int) -> Answer:
    head, step = _head(now), AppendStep(**asked.body)
    fence.check(now.epoch, step.lease_epoch)
    rules.append(head, at_ms)
    known = now.keys.get(step.key) or now.tries.get(step.attempt_id or "")
    return ("same", known) if known else NEW


def _suspend(now: Standing, asked: Operation, at_ms: int) -> Answer:
    head, command = _head(now), Suspend(**asked.body)
    fence.check(now.epoch, command.lease_epoch)
    if head.state in TERMINAL:
        raise errors.ProcessTerminal
    if command.ask_key is not None:
        for stop, known in now.stops.items():
            if known.ask_key == command.ask_key:
                return ("same", stop)
    elif head.state is State.SUSPENDED and not now.decided and now.stop:
        known = now.stops[now.stop]
        if (known.reason, known.question) == (command.reason, command.question):
            return ("same", now.stop)
    rules.suspend(head, command, at_ms)
    return NEW


def _decide(now: Standing, asked: Operation, at_ms: int) -> Answer:
    head = _head(now)
    if decision := now.said.get(asked.stop):
        if decision[1] != words(asked.body):
            raise errors.AlreadyAnswered
        return ("same", decision[0])
    if now.stop != asked.stop:
        raise errors.ProcessTerminal if head.state in TERMINAL else errors.NotSuspended
    rules.require_asked(head)
    return NEW


def words(choice: dict[str, Any]) -> str:
    """What tells one decision from another here."""
    return f"{choice['action']} {choice.get('answer')} {choice.get('note')}"


def _take_back(now: Standing, asked: Operation, at_ms: int) -> Answer:
    _head(now)
    if asked.stop not in now.said:
        raise errors.NothingDecided
    if now.stop != asked.stop or not now.decided:
        raise errors.NotTakenBack
    return NEW


def _resume(now: Standing, asked: Operation, at_ms: int) -> Answer:
    head = _head(now)
    fence.check(now.epoch, asked.body.get("lease_epoch"))
    if head.state in TERMINAL:
        return ("same", Action.TERMINAL)
    if head.state is State.RUNNING:
        return ("same", Action.CONTINUE)
    if rules.asks(head) and not now.decided:
        return ("same", Action.NEEDS_ANSWER)
    if now.held and not now.decided:
        raise errors.ApprovalRequired
    return NEW


def _complete(now: Standing, asked: Operation, at_ms: int) -> Answer:
    head = _head(now)
    fence.check(now.epoch, asked.body.get("lease_epoch"))
    if head.state is State.COMPLETED and now.outcome == asked.body.get("final_text"):
        return ("same",)
    rules.finish(head, State.COMPLETED, at_ms)
    return NEW


def _lease(now: Standing, asked: Operation, at_ms: int) -> Answer:
    if _head(now).state in TERMINAL:
        raise errors.ProcessTerminal
    epoch = fence.claim(now.epoch, now.owner, now.until_ms, asked.body["owner"], at_ms)
    return ("same", epoch) if epoch == now.epoch else NEW


_ANSWERS = {
    "open": _open, "append": _append, "suspend": _suspend, "decide": _decide,
    "take_back": _take_back, "resume": _resume, "complete": _complete, "lease": _lease,
}  # fmt: skip


def after(now: Standing, event: dict[str, Any], asked: Operation) -> Standing:
    """What the event makes of it, as the rules have it; `asked` is whose event it is."""
    at_ms, data, body = event["at_ms"], event["data"], asked.body
    head = now.head
    if asked.kind == "open":
        command = OpenProcess(objective=body["objective"], id=now.id)
        return replace(now, head=rules.open_process(command, now.id, at_ms).head)
    assert head is not None
    match asked.kind:
        case "append":
            step, seq = AppendStep(**body), now.steps + 1
            keys = now.keys | ({step.key: seq} if step.success else {})
            tries = now.tries | ({step.attempt_id: seq} if step.attempt_id else {})
            moved = rules.append(head, at_ms).head
            return replace(now, head=moved, keys=keys, tries=tries, steps=seq)
        case "suspend":
            asks, stop = Suspend(**body), data["suspension"]
            held = policy.is_held(asks.reason, asks.hold)
            moved = rules.suspend(head, asks, at_ms).head
            stops = now.stops | {stop: asks}
            return replace(now, head=moved, stop=stop, stops=stops, held=held, decided=False)
        case "decide":
            said = now.said | {data["suspension"]: (data["decision"], words(body))}
            return replace(now, said=said, decided=True)
        case "take_back":
            said = {stop: one for stop, one in now.said.items() if stop != asked.stop}
            return replace(now, said=said, decided=False)
        case "resume":
            text = _text(now.said.get(now.stop or ""))
            moved = rules.resume(head, rules.Decided(text), at_ms).head
            return replace(now, head=moved, stop=None, decided=False, held=False)
        case "complete":
            moved = rules.finish(head, State.COMPLETED, at_ms).head
            ended = replace(now, head=moved, outcome=body.get("final_text"), stop=None)
            return replace(ended, decided=False, held=False, owner=None, until_ms=None)
        case "lease":
            return replace(
                now, epoch=data["epoch"], owner=data["owner"], until_ms=data["until_ms"]
            )


def _text(decision: tuple[str, str] | None) -> str | None:
    """The answer among the words of a decision."""
    return decision[1].split()[1] if decision else None
