"""What a runtime or a person asks of a process: the bodies of the API, strict, nothing
trimmed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from dalhc.problems import Problem
from processes.journal import errors, limits, paths
from processes.journal.canonical import canonical_args, step_key
from processes.journal.record import INBOX_REASONS, Meta
from processes.journal.text import is_tool_name, is_visible
from processes.journal.timing import Timing, require_fitting

type Effect = Literal["at_most_once", "at_least_once", "idempotent"]


def _visible(problem: type[Problem], pointer: str) -> AfterValidator:
    def check(value: str | None) -> str | None:
        if value is not None and not is_visible(value):
            raise problem(pointer=pointer)
        return value

    return AfterValidator(check)


def _documented(**schema: Any) -> Any:
    """What a check of ours means in JSON Schema's words."""
    return Field(json_schema_extra=schema)


def _tool(value: str) -> str:
    if not is_tool_name(value):
        raise errors.InvalidTool(pointer="/tool")
    return value


def _args(value: Any) -> str:
    if not isinstance(value, str | dict | list):
        raise errors.InvalidArgs(pointer="/args")
    text = canonical_args(value)
    if len(text) > limits.ARGS_BYTES or len(text.encode()) > limits.ARGS_BYTES:
        raise errors.InvalidArgs("The arguments are longer than 64 KiB.", pointer="/args")
    return text


def _reason(value: Any) -> str:
    if value not in INBOX_REASONS:
        raise errors.InvalidSuspendReason(pointer="/reason")
    return str(value)


def _inside(name: str) -> WrapValidator:
    """A refusal of a part points into the whole."""

    def check(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
        try:
            return read(value)
        except Problem as problem:
            problem.errors = tuple(
                error | {"pointer": f"/{name}{error['pointer']}"} for error in problem.errors
            )
            raise

    return WrapValidator(check)


type Text = Annotated[str, Field(max_length=limits.TEXT_CHARS)]
type Note = Annotated[str, Field(max_length=limits.NOTE_CHARS)]
type Key = Annotated[str, Field(min_length=1, max_length=limits.KEY_CHARS)]
type Epoch = Annotated[int, Field(ge=0)]
type Tool = Annotated[str, AfterValidator(_tool)]
type Args = Annotated[str, BeforeValidator(_args)]
type ProcessId = Annotated[str, AfterValidator(paths.process_id)]
type Option = Annotated[str, Field(min_length=1, max_length=limits.OPTION_CHARS)]


class Command(BaseModel):
    """Strict: unknown fields are refused, types are exact, nothing is coerced."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class OpenProcess(Command):
    """Open a process; it starts suspended with the reason `opened` (S0:23). `start` also
    resumes it.
    """

    objective: Annotated[
        str,
        Field(max_length=limits.OBJECTIVE_CHARS),
        _visible(errors.ObjectiveEmpty, "/objective"),
    ]
    id: ProcessId | None = None
    cycle_id: Meta = None
    cycle_phase: Meta = None
    objective_id: Meta = None
    objective_class: Meta = None
    objective_due_bucket: Meta = None
    start: bool = False


class AppendStep(Command):
    """One tool step. `args` is a canonical string, or an object or array that is canonicalised
    here.
    """

    tool: Tool
    args: Args
    success: bool
    result_digest: str = ""
    artifacts: tuple[str, ...] = Field(default=(), strict=False)
    idempotency_key: str | None = None
    attempt_id: Key | None = None
    effect: Effect = "at_least_once"
    lease_epoch: Epoch | None = None

    @cached_property
    def key(self) -> str:
        """The idempotency key (S0:27)."""
        return step_key(self.tool, self.args)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.idempotency_key is not None and self.idempotency_key != self.key:
            raise errors.IdempotencyKeyMismatch(pointer="/idempotency_key")
        if self.artifacts:
            paths.artifact_paths(self.artifacts)
        return self


class BeginAttempt(Command):
    """The call that is about to be made; its step later carries the same attempt_id."""

    tool: Tool
    args: Args
    attempt_id: Key
    effect: Effect = "at_most_once"
    lease_epoch: Epoch | None = None

    @cached_property
    def key(self) -> str:
        """The idempotency key of its step."""
        return step_key(self.tool, self.args)


class ProposedAction(Command):
    """The call a held process wants to make; shown to the person as its arguments stand."""

    tool: Tool
    args: Args


class Suspend(Timing):
    """Stop, and say why (S0:37-45). `ask_key` makes the same question safe to send again after
    a crash.
    """

    reason: Annotated[str, BeforeValidator(_reason), _documented(enum=[*INBOX_REASONS])]
    question: Annotated[Text | None, _visible(errors.QuestionRequired, "/question")] = None
    detail: Note | None = None
    ask_key: Key | None = None
    hold: bool = False
    options: Annotated[
        tuple[Option, ...] | None,
        Field(min_length=1, max_length=limits.OPTIONS, strict=False),
    ] = None
    response_schema: dict[str, Any] | None = None
    proposed_action: Annotated[ProposedAction | None, _inside("proposed_action")] = None
    strict: bool = False
    lease_epoch: Epoch | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        asks = self.reason == "ask_user"
        if asks and self.question is None:
            raise errors.QuestionRequired(pointer="/question")
        if not asks and self.options is not None:
            raise errors.QuestionRequired(
                "Options belong to a question (ask_user).", pointer="/options"
            )
        if self.response_schema is not None and (not asks or self.options is not None):
            raise errors.InvalidResponseSchema(
                "It belongs to a question (ask_user) without options.",
                pointer="/response_schema",
            )
        if self.strict and self.proposed_action is None:
            raise errors.ActionNotOffered(
                "Only a proposed action can be strict.", pointer="/strict"
            )
        if asks and self.proposed_action is not None:
            raise errors.ActionNotOffered(
                "A proposed action is held, not asked: use guard or unverified.",
                pointer="/proposed_action",
            )
        require_fitting(self, asks=asks, proposes=self.proposed_action is not None)
        return self


class Choice(Command):
    """What a person decides about a suspension. `review_digest` says what was seen
    (architecture §3.6).
    """

    action: Literal["answer", "decline", "approve", "edit", "deny", "stop"]
    answer: Text | None = None
    args: Args | None = None
    note: Note | None = None
    review_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    revision: Epoch | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.action == "answer" and not is_visible(self.answer):
            raise errors.AnswerEmpty(pointer="/answer")
        if self.action in {"decline", "deny", "stop"} and not is_visible(self.note):
            raise errors.NoteRequired(pointer="/note")
        if self.action == "edit" and self.args is None:
            raise errors.InvalidArgs("An edit carries the arguments.", pointer="/args")
        if self.action != "answer" and self.answer is not None:
            raise errors.ActionNotOffered("Only an answer carries text.", pointer="/answer")
        if self.action != "edit" and self.args is not None:
            raise errors.ActionNotOffered("Only an edit carries arguments.", pointer="/args")
        return self


class Resume(Command):
    """Go on. The answer, if one waits, comes back in the reply; a runtime never brings one
    (T19).
    """

    lease_epoch: Epoch | None = None


class Complete(Command):
    """The objective is reached."""

    final_text: Text | None = None
    lease_epoch: Epoch | None = None


class Fail(Command):
    """The objective is given up."""

    error: Text | None = None
    lease_epoch: Epoch | None = None


class Stop(Command):
    """A person ends the process; the note says why."""

    note: Annotated[Note, _visible(errors.NoteRequired, "/note")]


class TakeLease(Command):
    """Claim the run: `owner` names this boot of the runtime, `ttl_s` is how long silence may
    last.
    """

    owner: Annotated[str, Field(min_length=1, max_length=limits.NAME_CHARS)]
    ttl_s: Annotated[int, Field(ge=1, le=limits.LEASE_SECONDS)] = 60


class HoldLease(Command):
    """Heartbeat or release: only with its own epoch."""

    lease_epoch: Epoch
    ttl_s: Annotated[int, Field(ge=1, le=limits.LEASE_SECONDS)] = 60


class Nack(Command):
    """The runtime could not use the answer, and says why."""

    error: Annotated[Note, _visible(errors.NoteRequired, "/error")]
