"""A planner over HTTP, against a server of the test's own that speaks the protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dalhc.client import (
    Ask,
    Call,
    ChatPlanner,
    Conversation,
    Done,
    GiveUp,
    JournalFolder,
    run_tool_loop,
)
from dalhc.client.chat import PlannerError, move
from dalhc.client.errors import Unreachable
from processes.journal.record import ProcessStep, ProcessTurn

KEY = "sk-very-secret"
TOOLS = {"count": {"description": "Counts.", "parameters": {"type": "object"}}}


def says(content: str) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}}]}


def calls(name: str, args: Any) -> dict[str, Any]:
    text = args if isinstance(args, str) else json.dumps(args)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
    return {"choices": [{"message": {"content": None, "tool_calls": [call]}}]}


class Model:
    """Gives the prepared replies in turn: a body, or a status."""

    def __init__(self) -> None:
        self.replies: list[dict[str, Any] | int | bytes] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                model.asked.append({"path": self.path} | json.loads(raw))
                model.headers.append(dict(self.headers.items()))
                reply = model.replies.pop(0)
                body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(reply if isinstance(reply, int) else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    thread = threading.Thread(target=model.server.serve_forever)
    thread.start()
    yield model
    model.server.shutdown()
    thread.join()
    model.server.server_close()


@pytest.fixture
def planner(model) -> Iterator[ChatPlanner]:
    with ChatPlanner(model.url, "m-1", TOOLS, key=KEY, patience=5) as planner:
        yield planner


def test_a_model_drives_a_run_to_its_end(model, planner, tmp_path):
    model.replies = [
        calls("count", {"shelf": 3}),
        calls("ask_principal", {"question": "Where to?"}),
    ]
    folder = JournalFolder(tmp_path, environ={})
    tools = {"count": lambda args: f"{args['shelf'] + 2} boxes"}
    told = run_tool_loop(folder.run("Count", id="a"), planner, tools)
    assert (told.reason, told.text, told.steps) == ("ask_user", "Where to?", 1)
    folder.resume_at("a", "the cellar")
    model.replies = [calls("finish", {"text": "5 boxes to the cellar.", "verified": True})]
    told = run_tool_loop(folder.run(id="a"), planner, tools)
    assert (told.state, told.text) == ("completed", "5 boxes to the cellar.")
    last = model.asked[-1]
    assert (last["path"], last["model"]) == ("/v1/chat/completions", "m-1")
    assert [said["role"] for said in last["messages"]] == [
        "system", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    assert last["messages"][3] == {
        "role": "tool", "tool_call_id": "call_1", "content": "5 boxes",
    }  # fmt: skip
    assert [said["content"] for said in last["messages"][4:]] == ["Where to?", "the cellar"]
    names = {tool["function"]["name"] for tool in last["tools"]}
    assert names == {"count", "ask_principal", "finish", "give_up"}


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (calls("count", {"n": 1}), Call("count", {"n": 1})),
        (calls("count", ""), Call("count", {})),
        (calls("ask_principal", {"question": "Which?"}), Ask("Which?")),
        (calls("finish", {"text": "x", "verified": True}), Done("x")),
        (calls("finish", {"text": "x"}), Done("x", verified=False)),
        (calls("finish", {"text": "x", "verified": "true"}), Done("x", verified=False)),
        (calls("give_up", {"why": "no"}), GiveUp("no")),
        (says("It is done."), Done("It is done.", verified=False)),
    ],
)
def test_each_reply_is_a_move(reply, wanted):
    assert move(reply) == wanted


@pytest.mark.parametrize(
    "reply",
    [
        {}, [], {"choices": []}, says(" "), calls("count", "{"), calls("count", "[1]"),
        calls("count", '{"a": 1, "a": 2}'), calls("ask_principal", {}),
        calls("ask_principal", {"question": " "}),
        calls("ask_principal", {"question": "\u200b"}),
        calls("", {}), calls("co\nunt", {}), calls("x" * 201, {}), calls("finish", {"text": 1}),
        {"choices": [{"message": {"tool_calls": [{"function": {"name": 1}}]}}]},
    ],
)  # fmt: skip
def test_a_reply_without_a_move_is_asked_for_again_and_never_guessed(model, planner, reply):
    model.replies = [reply, calls("count", {"n": 1})]
    assert planner(Conversation("Count", (), (), ())) == Call("count", {"n": 1})
    model.replies = [reply] * 3
    with pytest.raises(PlannerError, match="gave no move in 3 replies"):
        planner(Conversation("Count", (), (), ()))


def test_a_busy_endpoint_is_tried_again_and_a_refusal_is_not(model, planner):
    model.replies = [503, 429, calls("count", {})]
    assert planner(Conversation("Count", (), (), ())) == Call("count", {})
    model.replies = [401]
    with pytest.raises(PlannerError, match="answered 401"):
        planner(Conversation("Count", (), (), ()))


def test_an_endpoint_that_is_away_is_said_without_the_key(model):
    planner = ChatPlanner("http://127.0.0.1:9/v1", "m-1", TOOLS, key=KEY, patience=0)
    with pytest.raises(Unreachable) as away:
        planner(Conversation("Count", (), (), ()))
    assert KEY not in f"{away.value!r} {away.value} {planner!r}"


def test_the_key_goes_into_its_header_and_nowhere_else(model, planner):
    model.replies = [calls("count", {})]
    planner(Conversation("Count", (), (), ()))
    assert model.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(model.asked)


def test_a_long_history_is_told_by_its_newest_steps(model, planner):
    steps = tuple(
        ProcessStep(tool="run", args=f"ls {n}", success=n % 2 == 0, idempotency_key="k")
        for n in range(50)
    )
    turns = (ProcessTurn(role="user", content="hello"),)
    model.replies = [calls("count", {})]
    planner(Conversation("Count", steps, turns, (), repeated=steps[0]))
    said = model.asked[0]["messages"]
    assert said[2]["content"] == "(10 earlier steps are left out.)"
    assert len(said) == 3 + 2 * 40 + 1 + 1
    assert said[3]["tool_calls"][0]["function"]["arguments"] == '{"args": "ls 10"}'
    assert said[6]["content"].startswith("It failed: ")
    assert said[-1]["content"] == "run has done this before, and was not run again."


def test_a_tool_may_not_take_the_planners_own_names(model):
    with pytest.raises(ValueError, match="finish"):
        ChatPlanner(model.url, "m-1", {"finish": {}})
