"""Make .venv, or bring it up to date, and leave the note that says so."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import Iterator, Sequence

from scripts import pythons, stamp

UV = os.path.join(stamp.VENV, "bin", "uv")
# Settings of someone's shell that would send the packages elsewhere than into .venv.
ASTRAY = (
    "PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "PIP_USER", "PIP_TARGET", "PIP_PREFIX",
    "PIP_REQUIRE_VIRTUALENV", "UV_SYSTEM_PYTHON", "UV_TARGET", "UV_PREFIX", "CONDA_PREFIX",
)  # fmt: skip


class Failed(Exception):
    """A tool ended badly; its last lines follow."""


def make(want: str) -> int:
    """0 when .venv holds what `want` locks; 1 after one sentence that says why not."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _alone() as held:
            if not stamp.fits(want):
                _make(want, held)
    except (Failed, pythons.NoPython) as refusal:
        print(refusal, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _make(want: str, held: int) -> None:
    python = pythons.find()
    print(f"Python {python.version} found", flush=True)
    whole = stamp.is_whole()
    stamp.remove()
    if not whole:
        with _timed("Making .venv"):
            shutil.rmtree(stamp.VENV, ignore_errors=True)
            _run([python.path, "-m", "venv", "--without-pip", stamp.VENV], held)
    with _timed(f"Installing {_count(want)} packages"):
        _install(want, _pip(python, held), held)
    stamp.write(want, python.path)


def _install(want: str, pip: Sequence[str], held: int) -> None:
    """With uv, which takes seconds; where uv cannot be had or does not work here, with pip."""
    locked = ("--require-hashes", "-r", stamp.lock(want))
    uv = (UV, "pip", "install", "--quiet", "--compile-bytecode", "--python", stamp.PYTHON)
    try:
        _run([*pip, "--require-hashes", "-r", stamp.lock("uv")], held)
        _run([*uv, *locked], held)
    except Failed:
        _run([*pip, *locked], held)


def _pip(python: pythons.Python, held: int) -> Sequence[str]:
    """Run from the wheel Python brings: to unpack it into .venv first takes five seconds."""
    where = [f"{python.pip}/pip"]
    if not python.pip:
        _run([stamp.PYTHON, "-m", "ensurepip"], held)
        where = ["-m", "pip"]
    return [stamp.PYTHON, *where, "install", "--quiet", "--disable-pip-version-check"]


def _run(command: Sequence[str], held: int) -> None:
    """Quiet unless it fails. `held` is the lock: a child whose parent was killed keeps it."""
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            cwd=stamp.ROOT,
            env=_surroundings(),
            pass_fds=(held,),
            start_new_session=True,
        )
    except OSError as error:
        raise Failed(f"{command[0]} did not start: {error}") from error
    said = _end_with_us(child)
    if child.returncode:
        last = "\n".join(f"  {line}" for line in said.strip().splitlines()[-5:])
        raise Failed(f"The set-up failed; is the network there? The installer said:\n{last}")


def _end_with_us(child: subprocess.Popen[str]) -> str:
    """What it said. When we are told to stop, what it started stops too: venv starts others."""
    try:
        return child.communicate()[0]
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise


def _surroundings() -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if name not in ASTRAY}
    found.update(VIRTUAL_ENV=stamp.VENV)
    found.setdefault("UV_HTTP_RETRIES", "1")  # pip is there to try again
    return found


def _count(want: str) -> int:
    """How many of the locked packages are for this kind of machine."""
    with open(stamp.lock(want), encoding="utf-8") as file:
        pins = re.findall(r"^[\w.-]+==\S+(?: ; sys_platform == '(\w+)')?", file.read(), re.M)
    return sum(platform in ("", sys.platform) for platform in pins)


@contextlib.contextmanager
def _timed(what: str) -> Iterator[None]:
    print(f"{what} ...", end=" ", flush=True)
    start = time.monotonic()
    try:
        yield
    except BaseException:
        print(flush=True)
        raise
    print(f"{time.monotonic() - start:.0f} s", flush=True)


@contextlib.contextmanager
def _alone() -> Iterator[int]:
    """One set-up at a time in this folder."""
    with open(f"{stamp.VENV}.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another set-up is at work here; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()
