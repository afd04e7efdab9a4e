"""The state machine: (head, command, time) → what becomes of it. Pure (contract §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, assert_never

from processes.journal import errors, limits
from processes.journal.commands import OpenProcess, Suspend
from processes.journal.record import (
    METADATA,
    TERMINAL,
    Action,
    ProcessHead,
    ProcessTurn,
    Reason,
    State,
)
from processes.journal.text import is_visible


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's decision as the journal sees it: the text that becomes the answer turn, if
    any.
    """

    text: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A head after a verb, and the turns the verb added."""

    head: ProcessHead
    turns: tuple[ProcessTurn, ...] = ()


class Standing(Protocol):
    """What of a head says whether a step may come."""

    @property
    def state(self) -> State: ...
    @property
    def updated_at_ms(self) -> int: ...


class NeedsAnswer(Exception):
    """Not an error: the process waits for its principal (S0:45)."""


def open_process(command: OpenProcess, id: str, now: int) -> Change:
    """A new process is suspended with the reason `opened` (S0:23)."""
    if not is_visible(command.objective):
        raise errors.ObjectiveEmpty(pointer="/objective")
    head = ProcessHead(
        id=id,
        objective=command.objective,
        state=State.SUSPENDED,
        suspend_reason=Reason.OPENED,
        created_at_ms=now,
        updated_at_ms=now,
        **{name: getattr(command, name) for name in METADATA},
    )
    return Change(head)


def append(head: ProcessHead, now: int) -> Change:
    """One more stored step (S0:27). A replay never comes here; see steps.is_replay."""
    append_at(head, now)
    return _moved(head, now, steps_used=used(head.steps_used, 1))


def append_at(head: Standing, now: int) -> int:
    """When a step is stored that is appended now. Raises NotRunning, ProcessTerminal."""
    _require_running(head)
    return max(head.updated_at_ms, now)


def used(before: int, steps: int) -> int:
    """A count that came with a file may stand at its bound already, and stays there."""
    return min(before + steps, limits.STEPS_USED)


def suspend(head: ProcessHead, command: Suspend, now: int) -> Change:
    """Stop for one of five reasons; a new question clears the old answer (S0:37-45, contract
    N16).
    """
    _require_running(head)
    asks_user = command.reason == Reason.ASK_USER
    if asks_user and not is_visible(command.question):
        raise errors.QuestionRequired(pointer="/question")
    return _moved(
        head,
        now,
        state=State.SUSPENDED,
        suspend_reason=Reason(command.reason),
        question=command.question,
        principal_answer=None if asks_user else head.principal_answer,
    )


def resume(head: ProcessHead, decided: Decided | None, now: int) -> Change:
    """From suspended to running; the answer becomes two turns (S0:45-51).

    A running head is a crash cursor and comes back unchanged. Raises NeedsAnswer,
    ProcessTerminal.
    """
    require_known(head)
    if head.state in TERMINAL:
        raise errors.ProcessTerminal
    if head.state is State.RUNNING:
        return Change(head)
    if not asks(head):
        return _moved(head, now, **_RUNNING)
    if decided is None or not is_visible(decided.text):
        raise NeedsAnswer
    asked = ProcessTurn(role="assistant", content=head.question or "")
    told = ProcessTurn(role="user", content=decided.text or "")
    return Change(
        _moved(head, now, **_RUNNING, principal_answer=decided.text).head, turns=(asked, told)
    )


def finish(head: ProcessHead, state: State, now: int) -> Change:
    """A runtime says the run is completed or failed (contract K09)."""
    _require_running(head)
    return _moved(head, now, state=state, suspend_reason=None, question=None)


def stop(head: ProcessHead, now: int) -> Change:
    """A person ends a suspended or running process: it has failed (contract §3)."""
    require_known(head)
    if head.state in TERMINAL:
        raise errors.ProcessTerminal
    return _moved(head, now, state=State.FAILED, suspend_reason=None, question=None)


def next_action(head: ProcessHead, decided: bool) -> Action:
    """One of terminal, continue, needs_answer; agrees with `resume`
    (S0:47, contract N13-N15).
    """
    require_known(head)
    match head.state:
        case State.COMPLETED | State.FAILED:
            return Action.TERMINAL
        case State.SUSPENDED if asks(head) and not decided:
            return Action.NEEDS_ANSWER
        case State.SUSPENDED | State.RUNNING:
            return Action.CONTINUE
        case unknown:
            assert_never(unknown)


def asks(head: ProcessHead) -> bool:
    """True when the process waits for its principal's words."""
    return head.state == State.SUSPENDED and head.suspend_reason == Reason.ASK_USER


def require_asked(head: ProcessHead) -> None:
    """Something a person can decide about: a suspension of any reason but `opened`."""
    require_known(head)
    if head.state in TERMINAL:
        raise errors.ProcessTerminal
    if head.state is not State.SUSPENDED:
        raise errors.NotSuspended
    if head.suspend_reason is Reason.OPENED:
        raise errors.NothingAsked


def require_known(head: Standing) -> None:
    """Recovery is predictable: an unknown state is refused, never guessed (S0:53)."""
    if not isinstance(head.state, State):
        raise errors.UnknownState(f"The state {str(head.state)[:40]!a} is unknown.")


_RUNNING: dict[str, Any] = {"state": State.RUNNING, "suspend_reason": None, "question": None}


def _moved(head: ProcessHead, now: int, **fields: Any) -> Change:
    """Time never goes backwards in a record, whatever the clock does (contract §4)."""
    fields["updated_at_ms"] = max(head.updated_at_ms, now)
    return Change(head.model_copy(update=fields))


def _require_running(head: Standing) -> None:
    require_known(head)
    if head.state in TERMINAL:
        raise errors.ProcessTerminal
    if head.state is not State.RUNNING:
        raise errors.NotRunning
