"""A handful of simulated agents on a real server, with their two workers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dalhc.client import Client
from dalhc.client.agent.command import DONE, INTERRUPTED, WRONG_USE
from tests.dalhc.client.live import eventually
from tests.serving import TOP, Served

SUMMARY = re.compile(r"(\d+) wakes, late by .*; (\d+) given to both workers\.")


def start(served: Served, *words: str, **more: str) -> subprocess.Popen[str]:
    """In a process group of its own, as a terminal starts it."""
    keys = {"DALHC_URL": served.url, "DALHC_KEY": served.keys[0]}
    return subprocess.Popen(
        [sys.executable, "-m", "dalhc.client.agents", *words],
        cwd=TOP, env=os.environ | keys | more, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.fixture
def runtime(served: Served):
    with Client(served.url, served.keys[0]) as found:
        yield found


def is_empty(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def of_this_run(runtime: Client, before: set[str]):
    return [one for one in runtime.list() if is_new(one.id, before)]


def is_new(id: str, before: set[str]) -> bool:
    return id.startswith("simulated-") and id not in before


def test_each_agent_sleeps_three_times_and_is_woken_once_from_each(served, runtime):
    before = {one.id for one in runtime.list()}
    agents = start(served, "6", "--within", "0.5", DALHC_PERSON_KEY=served.keys[2])
    out, err = agents.communicate(timeout=180)
    assert (agents.returncode, err) == (DONE, "")
    assert "sleeping 0 · due 0 · woken 24 · asked 6 · done 6" in out
    assert SUMMARY.search(out).groups() == ("24", "0")
    made = of_this_run(runtime, before)
    assert len(made) == 6 and {one.state for one in made} == {"completed"}
    for one in made:
        told = [step.result_digest for step in runtime.get(one.id).steps]
        assert sorted(told) == [
            "woken by human", "woken by timer", "woken by timer", "woken by wait-provider",
        ]  # fmt: skip


def test_ctrl_c_ends_all_three_and_leaves_the_agents_asleep(served, runtime):
    before = {one.id for one in runtime.list()}
    agents = start(served, "3", "--within", "100000")
    assert agents.stdout
    for line in agents.stdout:
        if line.startswith("sleeping 3"):
            break
    os.killpg(agents.pid, signal.SIGINT)
    out, err = agents.communicate(timeout=60)
    assert (agents.returncode, err) == (INTERRUPTED, "")
    assert "3 agents sleep on" in out
    eventually(lambda: is_empty(agents.pid))
    for one in of_this_run(runtime, before):
        assert runtime.sleeper(one.id).stage == "sleeping"
        runtime.complete(one.id)


def test_workers_end_when_their_parent_is_killed(served, runtime):
    before = {one.id for one in runtime.list()}
    agents = start(served, "1", "--within", "100000")
    assert agents.stdout
    for line in agents.stdout:
        if line.startswith("sleeping 1"):
            break
    agents.kill()
    out, _ = agents.communicate(timeout=60)  # they hold the pipe until they end
    assert "Traceback" not in out
    for one in of_this_run(runtime, before):
        runtime.complete(one.id)


@pytest.mark.parametrize("number", ["0", "10001"])
def test_a_number_it_cannot_lay_to_sleep_is_refused(served, number):
    agents = start(served, number)
    _, err = agents.communicate(timeout=60)
    assert (agents.returncode, err) == (WRONG_USE, "N is 1 to 10,000.\n")


def test_without_a_server_it_says_how_to_start_one(served, tmp_path: Path):
    agents = start(served, "6", DALHC_URL="", DALHC_HOME=str(tmp_path))
    _, err = agents.communicate(timeout=60)
    assert agents.returncode == WRONG_USE and "make run" in err
