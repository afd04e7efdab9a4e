"""docs/dal.md as it stands: a runtime writes, a watch mirrors, a person answers."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.examples import Story, message
from tests.serving import Served

TOP = Path(__file__).parents[2]
PAGE = TOP / "docs" / "dal.md"


@pytest.fixture
def watched(tmp_path, tmp_path_factory):
    """A server, and `journal watch` in a process of its own."""
    server = Served(tmp_path_factory.mktemp("dal"))
    command = [sys.executable, "manage.py", "journal", "watch", str(tmp_path / "journals")]
    watch = subprocess.Popen(command, cwd=TOP, env=server.env, stdout=subprocess.DEVNULL)
    yield server
    watch.terminate()
    assert watch.wait(60) == 0
    server.close()


def test_the_session_is_what_happens(watched, tmp_path, monkeypatch):
    monkeypatch.setenv("DAL_PROCESS_ROOT", str(tmp_path / "journals"))
    blocks = re.findall(r"^```(python|http|json)\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
    names: dict[str, object] = {}
    with Story(watched.url, {"PERSON": watched.keys[2]}) as story:
        while blocks:
            kind, text = blocks.pop(0)
            if kind == "python":
                exec(compile(text, str(PAGE), "exec"), names)
            elif kind == "json":
                told = json.loads((tmp_path / "journals" / "post-1.json").read_bytes())
                story._same(json.loads(text), told, "")
            else:
                _until_so(story, text, blocks.pop(0)[1])


def _until_so(story: Story, asked: str, shown: str) -> None:
    """A GET may come before its file was seen; a POST is sent once."""
    deadline = time.monotonic() + 60
    while True:
        known = copy.copy(story._known)
        try:
            story.expect(story.send(message(asked)), message(shown))
            return
        except AssertionError:
            if time.monotonic() > deadline or not asked.startswith("GET"):
                raise
            story._known = known
            time.sleep(0.1)
