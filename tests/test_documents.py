"""What API.md and README show is what happens: every example is run against a real server."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from dalhc.http.status import STATUS
from processes.api.operations import OPERATIONS
from tests.examples import Story, blocks, message
from tests.processes.api.callers import operation
from tests.serving import Served
from tests.test_architecture import problems

TOP = Path(__file__).parents[1]
API, README = TOP / "API.md", TOP / "README.md"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A server on which nothing has happened, as the story of API.md begins."""
    server = Served(tmp_path_factory.mktemp("documents"))
    yield server
    server.close()


def test_B76_every_example_of_the_api_is_what_happens(fresh):
    shown = blocks(API, "http")
    assert len(shown) > 60 and len(shown) % 2 == 0
    with Story(fresh.url, {"RUNTIME": fresh.keys[0], "PERSON": fresh.keys[2]}) as story:
        for asked, told in zip(shown[::2], shown[1::2], strict=True):
            try:
                story.expect(story.send(message(asked.text)), message(told.text))
            except (AssertionError, ValueError, KeyError) as wrong:
                pytest.fail(f"API.md line {asked.line}: {wrong!r}")


def test_every_operation_of_the_api_has_an_example():
    first = (message(one.text).first for one in blocks(API, "http")[::2])
    asked = (line.split(" ") for line in first)
    found = {operation(method, re.sub(r"[{}]|\?.*", "", path)) for method, path in asked}
    assert {one.id for one in found if one} == {one.id for one in OPERATIONS.values()}


def test_every_code_is_told_with_its_status_and_nothing_else_is():
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \| (.+) \|$", API.read_text(), re.MULTILINE)
    told = {code: int(status) for status, code, _ in rows}
    assert told == {one.code: STATUS[one.code] for one in problems()}
    assert len(rows) == len(told)
    assert all(text.endswith(".") for _, _, text in rows)


@pytest.mark.parametrize("document", [API, README], ids=lambda path: path.name)
def test_every_link_within_a_document_leads_somewhere(document):
    text = document.read_text()
    anchors = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("http"):
            assert (TOP / target.partition("#")[0]).exists(), target


def test_the_readmes_commands_are_those_of_the_makefile():
    targets = set(re.findall(r"^(\w+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake (\w+)", README.read_text()))
    named |= {line.split()[1] for one in blocks(README, "sh") for line in one.text.splitlines()
              if line.startswith("make ")}  # fmt: skip
    assert {"run", "agent", "test"} <= named & targets
    assert {name for name in named if name not in targets} <= {"a", "it"}


def test_the_readmes_request_opens_a_process(fresh):
    """Sent by what it says, so that no machine needs curl."""
    [text] = [one.text for one in blocks(README, "sh") if one.text.startswith("curl ")]
    for name, value in (("DALHC_URL", fresh.url), ("DALHC_KEY", fresh.keys[0])):
        text = text.replace(f"${name}", value)
    command, *words = shlex.split(text.replace("\\\n", " "))
    assert command == "curl"
    given: dict[str, list[str]] = {"": []}
    while words:
        word = words.pop(0)
        if word in {"-X", "-H", "-d"}:
            given.setdefault(word, []).append(words.pop(0))
        else:
            assert word == "-s" or not word.startswith("-")
            given[""] += [] if word == "-s" else [word]
    headers = dict(line.split(": ", 1) for line in given["-H"])
    reply = httpx2.request(
        given["-X"][0], given[""][0], headers=headers, content=given["-d"][0], trust_env=False
    )
    assert reply.status_code == 201
    assert (reply.json()["objective"], reply.json()["state"]) == ("Say good morning", "running")


def test_the_readmes_program_is_the_first_example_and_runs(fresh, tmp_path):
    [program] = blocks(README, "python")
    example = (TOP / "examples" / "first_run.py").read_text()
    assert _code(program.text) == _code(example)
    script = tmp_path / "program.py"
    script.write_text(program.text)
    env = os.environ | {
        "DALHC_URL": fresh.url, "DALHC_KEY": fresh.keys[0], "PYTHONPATH": str(TOP)
    }  # fmt: skip
    running = subprocess.Popen(
        [sys.executable, script, "backup-1"], env=env, text=True, stdout=subprocess.PIPE
    )
    [stop] = _wait_for_stop(fresh, "backup-1")
    choice = {"action": "answer", "answer": "Here", "review_digest": stop["review_digest"]}
    fresh.person.post(f"suspensions/{stop['id']}/decision", json=choice).raise_for_status()
    out, _ = running.communicate(timeout=60)
    assert (running.returncode, out) == (0, "backup-1 Here\n")
    assert fresh.runtime.get("processes/backup-1").json()["state"] == "completed"


def _wait_for_stop(server, process_id):
    """The open suspension, once it is there."""
    for _ in range(600):
        found = server.person.get(f"suspensions?process_id={process_id}").json()["results"]
        if found:
            return found
        time.sleep(0.05)
    pytest.fail("the program asked nothing")


def _code(text: str) -> list[str]:
    """What the program does, without its own description."""
    body = ast.parse(text).body
    return [
        ast.unparse(one)
        for one in body
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        and not (isinstance(one, ast.ImportFrom) and one.module == "__future__")
    ]
