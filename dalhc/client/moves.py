"""What a planner is told, what it can say, and how a tool loop ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from processes.journal.canonical import canonical_args, step_key

type Args = str | dict[str, Any] | list[Any]


class Step(Protocol):
    """A recorded tool step."""

    @property
    def tool(self) -> str: ...
    @property
    def args(self) -> str: ...
    @property
    def success(self) -> bool: ...
    @property
    def result_digest(self) -> str: ...
    @property
    def idempotency_key(self) -> str: ...


class Turn(Protocol):
    """A turn of the conversation: the assistant asked, the user answered."""

    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything recorded so far. `repeated` is the success the planner just called for again;
    the tool was not run a second time.
    """

    objective: str
    steps: tuple[Step, ...]
    turns: tuple[Turn, ...]
    tools: tuple[str, ...]
    repeated: Step | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Run a tool. Equal arguments in another spelling are the same call."""

    tool: str
    args: Args


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the principal, and stop until there is an answer."""

    question: str


@dataclass(frozen=True, slots=True)
class Done:
    """The objective is reached; unless `verified`, a person is asked to believe it."""

    text: str
    verified: bool = True


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The objective cannot be reached."""

    why: str


type Move = Call | Ask | Done | GiveUp
type Planner = Callable[[Conversation], Move]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gives back when text alone is not all: files it made, by relative path."""

    text: str
    artifacts: tuple[str, ...] = ()


type Tools = Mapping[str, Callable[[Any], str | Result]]


@dataclass(frozen=True, slots=True)
class Budget:
    """What one call of the loop may use; None is without bound. A resumed loop begins anew.

    `steps` and `seconds` suspend as step_budget and wall_clock. The others are guards: calls
    per tool, the same call in a row, moves in a row without a new success.
    """

    steps: int | None = 50
    seconds: float | None = None
    calls_per_tool: int | Mapping[str, int] | None = None
    repeats: int | None = 3
    idle: int | None = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the process stands after the loop. `reason` is of a suspension, `text` the question,
    the final words, or why it stopped; `steps` were run by this call.
    """

    state: Literal["completed", "failed", "suspended"]
    reason: str | None = None
    text: str = ""
    steps: int = 0


def scripted(*moves: Move) -> Planner:
    """A planner that makes these moves in turn and then gives up; for tests and demos.

    It goes by what is recorded: a call that has succeeded and a question that was answered are
    left out, so a restarted loop goes on where the last one stopped.
    """

    def plan(told: Conversation) -> Move:
        done = {step.idempotency_key for step in told.steps if step.success}
        asked = {turn.content for turn in told.turns if turn.role == "assistant"}
        for move in moves:
            match move:
                case Call(tool, args) if step_key(tool, canonical_args(args)) in done:
                    continue
                case Ask(question) if question in asked:
                    continue
                case _:
                    return move
        return GiveUp("The script is over.")

    return plan
