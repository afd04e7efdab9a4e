"""Where a Python new enough for dalhc may be, and whether it really runs."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
from typing import Iterator, NamedTuple

OLDEST = (3, 12)
NAMES = ("python3.14", "python3.13", "python3.12", "python3", "python")
PREFIXES = ("/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin", "/usr/bin", "~/.local/bin")
TREES = (
    "~/.asdf/installs/python/3.*",
    "~/.local/share/mise/installs/python/3.*",
    "~/.local/share/uv/python/cpython-3.*",
    "/Library/Frameworks/Python.framework/Versions/3.*",
)
QUESTION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "answer.py")


class Python(NamedTuple):
    """One interpreter that answered."""

    path: str
    version: str
    pip: str
    """The wheel of pip it carries, which runs as it is; empty when it keeps it elsewhere."""
    lacks: tuple[str, ...]

    @property
    def is_new_enough(self) -> bool:
        return tuple(int(part) for part in re.findall(r"\d+", self.version)[:2]) >= OLDEST


class NoPython(Exception):
    """The sentence says what to install."""


def find() -> Python:
    """The first that is new enough and whole; DALHC_PYTHON, where it is set, and no other."""
    asked = os.environ.get("DALHC_PYTHON")
    if asked:
        return _asked(asked)
    unfit = ""
    for path in candidates():
        python = ask(path)
        if python is None or not python.is_new_enough:
            continue
        if not python.lacks:
            return python
        unfit = unfit or _incomplete(python)
    raise NoPython(unfit or _none_found())


def candidates() -> Iterator[str]:
    """Each path once, likely ones first. A name in a list is no promise that it runs."""
    seen = set()
    for path in _paths():
        if path not in seen and os.access(path, os.X_OK):
            seen.add(path)
            yield path


def ask(path: str) -> Python | None:
    """None when it does not run: a shim of pyenv is there for versions that are not."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "__PYVENV"))}
    try:
        ran = subprocess.run(
            [path, "-I", QUESTION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=clean,
            timeout=20,
            check=True,
            encoding="utf-8",
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    kind, version, real, pip, *lacks = ran.stdout.splitlines() or [""] * 4
    return Python(real, version, pip, tuple(filter(None, lacks))) if kind == "CPython" else None


def _paths() -> Iterator[str]:
    yield sys.executable
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        yield from (os.path.join(folder, name) for name in NAMES)
    pyenv = os.environ.get("PYENV_ROOT", "~/.pyenv")
    for tree in (f"{pyenv}/versions/3.*", *TREES):
        for home in sorted(glob.glob(os.path.expanduser(tree)), key=_newest, reverse=True):
            yield os.path.join(home, "bin", "python3")
    for prefix in PREFIXES:
        yield from (os.path.join(os.path.expanduser(prefix), name) for name in NAMES)


def _newest(path: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", os.path.basename(path))]


def _none_found() -> str:
    beside = os.path.join(os.path.dirname(__file__), "no-python.txt")
    with open(beside, encoding="utf-8") as file:
        return file.read().strip()


def _asked(path: str) -> Python:
    python = ask(path)
    if python is None or not python.is_new_enough:
        raise NoPython(f"DALHC_PYTHON is {path}, which is no Python 3.12 or newer that runs.")
    if python.lacks:
        raise NoPython(_incomplete(python))
    return python


def _incomplete(python: Python) -> str:
    which = f"Python {python.version} ({python.path})"
    if set(python.lacks) <= {"venv", "ensurepip"}:
        return f"{which} cannot make environments: on Debian, `apt install python3-venv`."
    missing = ", ".join(name.lstrip("_") for name in python.lacks)
    return f"{which} was built without {missing}: install another Python."
