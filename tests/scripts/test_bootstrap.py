"""The set-up makes an environment from nothing, once, and mends one that was cut short."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripts.wheels import pin

ROOT = Path(__file__).resolve().parents[2]
# A uv that writes down what it was asked and lets pip do it.
UV = """#!/bin/sh
echo "$@" >> "$VIRTUAL_ENV/uv-was-asked"
exec "$VIRTUAL_ENV/bin/python" -m pip install -q --require-hashes -r "${9}"
"""
BROKEN_UV = "#!/bin/sh\nexit 3\n"
SLOW_UV = '#!/bin/sh\necho $$ > "$VIRTUAL_ENV/uv-at-work"\nsleep 300\n'


class Project:
    """A folder with the set-up's own files, and locks of two packages and a stand-in for uv."""

    def __init__(self, root: Path, uv: str = UV) -> None:
        self.root, self.venv = root, root / ".venv"
        self.wheels, self.locks = root / "wheels", root / "requirements"
        shutil.copytree(ROOT / "scripts", root / "scripts")
        self.wheels.mkdir()
        self.locks.mkdir()
        (self.locks / "uv.txt").write_text(pin(self.wheels, "uv", uv))
        (self.locks / "run.txt").write_text(pin(self.wheels, "apple"))
        both = pin(self.wheels, "apple") + pin(self.wheels, "pear")
        (self.locks / "dev.txt").write_text(both)

    def start(self, want: str = "run", **surroundings: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["sh", "scripts/bootstrap.sh", want],
            cwd=self.root,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
                "HOME": str(self.root),
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": self.wheels.as_uri(),
                **surroundings,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def make(self, want: str = "run", **surroundings: str) -> tuple[int, str]:
        started = self.start(want, **surroundings)
        said, _ = started.communicate(timeout=120)
        return started.returncode, said

    def loaded(self) -> str:
        """The modules a start imports, as Python lists them."""
        return subprocess.run(
            [sys.executable, "-X", "importtime", "scripts/bootstrap.py", "run"],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=True,
        ).stderr

    def has(self, package: str) -> bool:
        question = [self.venv / "bin/python", "-c", f"import {package}_module"]
        return subprocess.run(question, check=False).returncode == 0


def wait_for(happened: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, "It did not happen within a minute."
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "a folder with spaces")


def test_an_environment_is_made_from_nothing_and_then_left_alone(project):
    status, said = project.make()
    assert (status, project.has("apple")) == (0, True), said
    first, second, third = said.splitlines()
    assert first == f"Python {sys.version.split()[0]} found"
    assert second.startswith("Making .venv ... ")
    assert third.startswith("Installing 1 packages ... ")
    assert "--compile-bytecode --python" in (project.venv / "uv-was-asked").read_text()
    assert project.make() == (0, "")
    assert "subprocess" not in project.loaded()


def test_an_environment_for_tests_also_serves_and_follows_its_lock(project):
    assert project.make("dev")[0] == 0
    assert project.has("apple") and project.has("pear")
    assert project.make("run") == (0, "")

    (project.venv / "kept").touch()
    (project.locks / "run.txt").write_text(pin(project.wheels, "plum"))
    status, said = project.make("run")
    assert (status, project.has("plum")) == (0, True), said
    assert "Making" not in said
    assert (project.venv / "kept").exists()


def test_a_set_up_killed_in_the_middle_is_made_anew_with_pip_where_uv_does_not_work(tmp_path):
    project = Project(tmp_path / "dalhc", uv=BROKEN_UV)
    (project.venv / "bin").mkdir(parents=True)
    (project.venv / "bin/python").write_text("half a file")
    (project.venv / "bin/python").chmod(0o755)
    status, said = project.make()
    assert (status, project.has("apple")) == (0, True), said
    assert "Making .venv" in said


def test_two_at_once_make_one_environment(project):
    both = [project.start(), project.start()]
    said = "".join(each.communicate(timeout=120)[0] for each in both)
    assert [each.returncode for each in both] == [0, 0]
    assert said.count("Making .venv") == 1
    assert said.count("Another set-up is at work here") == 1
    assert project.has("apple")


def test_told_to_stop_it_ends_what_it_started_and_leaves_no_note(tmp_path):
    project = Project(tmp_path / "dalhc", uv=SLOW_UV)
    started = project.start()
    at_work = project.venv / "uv-at-work"
    wait_for(lambda: at_work.exists() and at_work.read_text().strip())
    started.terminate()
    started.communicate(timeout=30)
    assert started.returncode == 130
    wait_for(lambda: not alive(int(at_work.read_text())))
    assert not (project.venv / "installed").exists()


def test_a_package_that_is_not_the_locked_one_is_refused(project):
    (project.locks / "run.txt").write_text("apple==1.0 --hash=sha256:" + "0" * 64 + "\n")
    status, said = project.make()
    assert status == 1
    assert "The set-up failed" in said
    assert "Traceback" not in said
    assert not (project.venv / "installed").exists()


def test_no_python_is_one_sentence(project):
    """The shell's own search finds nothing: each place it looks in is a folder of this test."""
    search = (project.root / "scripts/bootstrap.sh").read_text()
    nowhere = search.replace("/usr/", "/none/").replace("/opt/", "/none/")
    (project.root / "scripts/bootstrap.sh").write_text(nowhere)
    tools = project.root / "tools"
    tools.mkdir()
    for tool in ("sh", "dirname", "cat"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    status, said = project.make(PATH=str(tools))
    assert status == 1
    assert said == (ROOT / "scripts/no-python.txt").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("*.py")), ids=os.path.basename)
def test_an_old_python_can_read_the_scripts(path):
    ast.parse(path.read_text(), feature_version=(3, 8))
