"""The agent as a program: killed at any moment, it does and asks nothing twice."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from dalhc.client.agent.command import DONE, ENDED, INTERRUPTED, TERMINATED, WRONG_USE
from tests.dalhc.client.live import LiveServer, Principal, eventually

MODULE = ("-m", "dalhc.client.agent")
KILLS = 14
AGAIN = " (recorded before)"
STEP = re.compile(r"  (list_folder|hash_files|compare|write_report) (?!.*\(recorded before\))")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight folders, four groups of duplicates, a link."""
    top = tmp_path_factory.mktemp("Documents")
    for number in range(8):
        below = top / f"folder {number:02d}"
        below.mkdir()
        (below / "own.txt").write_text(f"only here: {number}")
        (below / f"copy {number}.bin").write_bytes(bytes([number % 4]) * 40_000)
    (top / "link").symlink_to("folder 00")
    return top


def start(live: LiveServer, folder: Path, process_id: str) -> subprocess.Popen[str]:
    return live.run(*MODULE, folder, "--process", process_id, PYTHONUNBUFFERED="1")


def whole(live: LiveServer, folder: Path, process_id: str) -> tuple[str, float]:
    """An uninterrupted run: what it printed, and the seconds it took."""
    began = time.monotonic()
    with Principal(live, process_id):
        agent = start(live, folder, process_id)
        out, err = agent.communicate(timeout=180)
    assert (agent.returncode, err) == (DONE, "")
    return out, time.monotonic() - began


def files(live: LiveServer, process_id: str) -> tuple[bytes, bytes]:
    get = live.runtime.get_artifact
    return get(process_id, "report.md"), get(process_id, "duplicates.csv")


def killed_after(
    agent: subprocess.Popen[str], fresh: int, seen: Counter[str], seconds: float
) -> list[str]:
    """What it printed before SIGKILL: `seconds` after so many lines not seen before."""
    assert agent.stdout
    read: list[str] = []
    for line in agent.stdout:
        read.append(line.rstrip("\n"))
        fresh -= read[-1].removesuffix(AGAIN) not in seen
        if not fresh:
            break
    time.sleep(seconds)
    agent.kill()
    out, _ = agent.communicate()
    return read + out.splitlines()


def test_killed_at_random_moments_the_agent_does_and_asks_nothing_twice(live, folder):
    out, _ = whole(live, folder, "whole-1")
    dice, printed, asked = random.Random(7), Counter[str](), Counter[str]()
    for _ in range(KILLS):
        agent = start(live, folder, "killed-1")
        with Principal(live, "killed-1") as principal:
            fresh, seconds = dice.randrange(1, 5), dice.uniform(0, 0.05)
            printed.update(killed_after(agent, fresh, printed, seconds))
        asked.update(principal.decided)
    with Principal(live, "killed-1") as principal:
        agent = start(live, folder, "killed-1")
        last, err = agent.communicate(timeout=180)
    printed.update(last.splitlines())
    asked.update(principal.decided)

    assert (agent.returncode, err) == (DONE, "")
    assert files(live, "killed-1") == files(live, "whole-1")
    record, reference = live.runtime.get("killed-1"), live.runtime.get("whole-1")
    assert len({step.idempotency_key for step in record.steps}) == len(record.steps)
    assert [step.args for step in record.steps] == [step.args for step in reference.steps]
    did = {line: times for line, times in printed.items() if STEP.match(line)}
    assert set(did) <= set(out.splitlines())
    assert max(did.values()) == 1, "a step that was recorded ran again"
    assert any(line.endswith(AGAIN) for line in printed)
    assert asked == Counter(turn.content for turn in reference.turns[::2])
    assert record.turns == reference.turns


def test_an_agent_that_is_told_to_end_says_how_to_go_on(live, folder):
    for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)):
        process_id = f"ended-{number}"
        agent = start(live, folder, process_id)
        eventually(lambda id=process_id: live.waits(id))
        agent.send_signal(number)
        out, err = agent.communicate(timeout=60)
        assert (agent.returncode, err) == (code, "")
        assert out.splitlines()[0] == f"Process {process_id}"
        real = os.path.realpath(folder)
        assert out.splitlines()[-1].endswith(f"make agent FOLDER={real} PROCESS={process_id}")
        assert live.runtime.get(process_id).suspend_reason == "ask_user"


def test_an_agent_whose_process_a_person_ends_says_so(live, folder):
    agent = start(live, folder, "stopped-1")
    eventually(lambda: live.waits("stopped-1"))
    live.person.stop("stopped-1", "Not this folder.")
    out, _ = agent.communicate(timeout=60)
    assert agent.returncode == ENDED
    assert out.splitlines()[-1] == "The process stopped-1 has failed: Not this folder."


def test_a_finished_process_is_not_started_again(live, tmp_path):
    whole(live, tmp_path, "again-1")
    out, _ = whole(live, tmp_path, "again-1")
    assert out.splitlines()[-1].startswith("The process again-1 has completed: 0 files in 1")


def test_a_process_about_another_folder_is_refused(live, folder, tmp_path):
    whole(live, tmp_path, "other-1")
    agent = start(live, folder, "other-1")
    _, err = agent.communicate(timeout=60)
    assert "other-1 has another objective" in err
    assert agent.returncode == 1


def test_a_key_the_server_does_not_know_is_said(live, tmp_path):
    agent = live.run(*MODULE, tmp_path, "--key", "dalhc_00000000_nothing")
    out, err = agent.communicate(timeout=60)
    assert (agent.returncode, out) == (WRONG_USE, "")
    assert err == f"The server at {live.url} does not know this key.\n"


def test_whoever_reads_along_may_leave(live, tmp_path):
    agent = live.run(*MODULE, tmp_path, "--process", "piped-1")
    assert agent.stdout
    agent.stdout.close()
    agent.wait(timeout=60)
    assert agent.stderr
    assert (agent.returncode, agent.stderr.read()) == (DONE, "")
    agent.stderr.close()
    assert live.runtime.get("piped-1").state == "completed"
