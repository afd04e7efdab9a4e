"""A planner behind any endpoint that speaks the chat-completions protocol over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx2

from dalhc.client.moves import Ask, Call, Conversation, Done, GiveUp, Move, Step
from dalhc.client.retry import Retry
from dalhc.problems import Problem
from processes.journal.parse import parse_json
from processes.journal.text import is_tool_name, is_visible

STEPS_TOLD = 40  # the newest; a digest has at most 2,000 characters
TRIES = 3  # of a reply that says nothing a loop can do
DEPTH = 64

SYSTEM = (
    "You work towards the user's objective by calling tools, one at a time. What you have "
    "called before stands in the conversation with its result; do not call it again. Call "
    "ask_principal when a person has to decide, or knows what you cannot find out. Call finish "
    "when the objective is reached, with verified false if you could not check it, and give_up "
    "when it cannot be reached."
)
OWN: dict[str, dict[str, Any]] = {
    "ask_principal": {
        "description": "Ask the person you work for, and wait for the answer.",
        "parameters": {
            "type": "object", "required": ["question"],
            "properties": {"question": {"type": "string"}},
        },
    },
    "finish": {
        "description": "Say that the objective is reached, and how.",
        "parameters": {
            "type": "object", "required": ["text", "verified"],
            "properties": {"text": {"type": "string"}, "verified": {"type": "boolean"}},
        },
    },
    "give_up": {
        "description": "Say that the objective cannot be reached, and why.",
        "parameters": {
            "type": "object", "required": ["why"], "properties": {"why": {"type": "string"}},
        },
    },
}  # fmt: skip


class PlannerError(Exception):
    """The endpoint refused, or said nothing that a loop can do; the process stays as it is."""


class ChatPlanner:
    """Asks `POST {url}/chat/completions` for the next move.

    `url` ends where the protocol's paths begin, as in `http://127.0.0.1:8080/v1`. `tools` says
    what each tool does: `{name: {"description": …, "parameters": JSON Schema}}`. `key` is sent
    as a bearer token and shown nowhere. `timeout` is seconds per try, `patience` how long to go
    on trying while the endpoint is busy. Raises PlannerError, and Unreachable.
    """

    def __init__(
        self,
        url: str,
        model: str,
        tools: Mapping[str, Mapping[str, Any]],
        *,
        key: str = "",
        timeout: float = 120.0,
        patience: float = 60.0,
    ) -> None:
        if clash := OWN.keys() & tools.keys():
            raise ValueError(f"These names are the planner's own: {', '.join(sorted(clash))}.")
        self.url, self.model = url.rstrip("/"), model
        self._tools = [_function(name, told) for name, told in {**tools, **OWN}.items()]
        self._retry = Retry(patience)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(headers=headers, timeout=timeout)

    def __repr__(self) -> str:
        return f"ChatPlanner({self.url!r}, {self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def __call__(self, told: Conversation) -> Move:
        """The next move. A reply that cannot be read is asked for again, never guessed at."""
        body = {
            "model": self.model,
            "messages": messages(told),
            "tools": self._tools,
            "parallel_tool_calls": False,
        }
        wrong = ""
        for _ in range(TRIES):
            try:
                return move(self._asked(body))
            except (Unreadable, Problem) as unreadable:
                wrong = str(unreadable)
        raise PlannerError(f"{self.model} gave no move in {TRIES} replies: {wrong}")

    def _asked(self, body: dict[str, Any]) -> Any:
        reply = self._retry.send(
            lambda: self._http.post(f"{self.url}/chat/completions", json=body)
        )
        if not reply.is_success:
            raise PlannerError(f"{self.url} answered {reply.status_code}.")
        return parse_json(reply.content, depth=DEPTH)


class Unreadable(Exception):
    """A reply without a move in it."""


def messages(told: Conversation) -> list[dict[str, Any]]:
    """The conversation in the protocol's words: steps as calls and results, then the turns."""
    said: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": told.objective},
    ]
    first = max(0, len(told.steps) - STEPS_TOLD)
    if first:
        said.append({"role": "user", "content": f"({first} earlier steps are left out.)"})
    for number, step in enumerate(told.steps[first:], first + 1):
        said += _step(number, step)
    said += [{"role": turn.role, "content": turn.content} for turn in told.turns]
    if told.repeated is not None:
        again = f"{told.repeated.tool} has done this before, and was not run again."
        said.append({"role": "user", "content": again})
    return said


def move(reply: Any) -> Move:
    """The move of a reply. Raises Unreadable, and what makes arguments no JSON."""
    try:
        message = reply["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        if not calls:
            return _spoken(message.get("content"))
        name, text = calls[0]["function"]["name"], calls[0]["function"]["arguments"]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Unreadable("The reply has no message.") from None
    if not isinstance(name, str) or not isinstance(text, str):
        raise Unreadable("A call has a name and arguments, both text.")
    args = parse_json(text.encode() or b"{}", depth=DEPTH)
    if not isinstance(args, dict):
        raise Unreadable("The arguments are no object.")
    return _called(name, args)


def _called(name: str, args: dict[str, Any]) -> Move:
    match name, args:
        case "ask_principal", {"question": str(question)} if is_visible(question):
            return Ask(question)
        case "finish", {"text": str(text), **more}:
            return Done(text, verified=more.get("verified") is True)
        case "give_up", {"why": str(why)}:
            return GiveUp(why)
        case own, _ if own in OWN:
            raise Unreadable(f"{own} was called without what it needs.")
        case _ if not is_tool_name(name):
            raise Unreadable(
                "A tool has a name of 1 to 200 characters, and no control characters."
            )
        case _:
            return Call(name, args)


def _spoken(content: Any) -> Move:
    """Words without a call are the end, and nobody has verified them."""
    if isinstance(content, str) and content.strip():
        return Done(content, verified=False)
    raise Unreadable("The reply is empty.")


def _function(name: str, told: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **told}}


def _step(number: int, step: Step) -> list[dict[str, Any]]:
    id = f"call_{number}"
    call = {"name": step.tool, "arguments": _object(step.args)}
    result = step.result_digest if step.success else f"It failed: {step.result_digest}"
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": id, "content": result},
    ]


def _object(args: str) -> str:
    """Arguments are an object in this protocol; a bare signature stands in one."""
    return args if args.startswith("{") else json.dumps({"args": args}, ensure_ascii=False)
