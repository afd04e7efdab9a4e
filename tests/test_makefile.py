"""The commands of the Makefile, run in a folder where each thing they start only says so."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
AGENT = "import sys; print(sys.argv[1:])\n"
SERVER = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit("server ended"))
print(sys.argv[1:], os.getppid(), flush=True)
signal.pause()
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("scripts", "dalhc/client", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "scripts/chromium.py", tmp_path / "scripts")
    (tmp_path / "scripts/bootstrap.sh").write_text("exit 0\n")
    (tmp_path / "dalhc/client/agent.py").write_text(AGENT)
    (tmp_path / "dalhc/client/agents.py").write_text(AGENT)
    (tmp_path / "manage.py").write_text(SERVER)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    return tmp_path


def make(folder: Path, *words: str, **surroundings: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["make", *words],
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/ana", **surroundings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said(started: subprocess.Popen[str]) -> str:
    return started.communicate(timeout=30)[0]


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("/data/plain", "/data/plain"),
        ("~/My Documents", "/home/ana/My Documents"),
        ("~", "/home/ana"),
        ('it\'s "here" & there; $HOME', 'it\'s "here" & there; $HOME'),
        ("-dash", "-dash"),
    ],
)
def test_a_folder_reaches_the_agent_as_it_was_typed(folder, typed, heard):
    assert said(make(folder, "agent", f"FOLDER={typed}")) == f"{['--', heard]}\n"


def test_a_process_to_go_on_with_is_handed_on(folder):
    heard = said(make(folder, "agent", "FOLDER=/data", "PROCESS=duplicates-1"))
    assert heard == f"{['--process', 'duplicates-1', '--', '/data']}\n"


@pytest.mark.parametrize(("typed", "heard"), [([], "200"), (["N=12"], "12")])
def test_the_simulation_is_as_large_as_it_was_said(folder, typed, heard):
    assert said(make(folder, "agents", *typed)) == f"{[heard]}\n"


def test_without_a_folder_the_command_is_shown(folder):
    started = make(folder, "agent")
    assert "make agent FOLDER=~/Documents" in said(started)
    assert started.returncode


def test_a_signal_for_make_ends_the_server(folder):
    started = make(folder, "run")
    assert started.stdout
    assert started.stdout.readline() == f"{['serve']} {started.pid}\n"
    started.send_signal(signal.SIGTERM)
    assert "server ended" in said(started)


def test_tests_without_a_browser_name_its_package(folder):
    started = make(folder, "test", DALHC_CHROMIUM="/no/such/browser")
    assert "Debian's package `chromium`" in said(started)
    assert started.returncode


def test_make_alone_says_what_there_is(folder):
    heard = said(make(folder))
    for command in ("run", "agent", "agents", "test", "lint", "bench", "lock"):
        assert f"make {command}" in heard
