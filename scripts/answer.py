"""What an interpreter says when pythons.py asks it: one line each, what it lacks last."""

from __future__ import annotations

import glob
import importlib.util
import os
import platform
import sys
import sysconfig

NEEDED = ("venv", "ensurepip", "_ssl", "_sqlite3", "zlib")


def pip_wheel() -> str:
    """The wheel of pip that comes with it, in Debian in a folder of its own; or nothing."""
    folders = [sysconfig.get_config_var("WHEEL_PKG_DIR")]
    if spec := importlib.util.find_spec("ensurepip"):
        folders.append(os.path.join(os.path.dirname(str(spec.origin)), "_bundled"))
    wheels: list[str] = []
    for folder in filter(None, folders):
        wheels += glob.glob(os.path.join(folder, "pip-*.whl"))
    return wheels[0] if wheels else ""


def lacks() -> list[str]:
    return [name for name in NEEDED if not importlib.util.find_spec(name)]


if __name__ == "__main__":
    print(platform.python_implementation())
    print(platform.python_version())
    # Where it really lives: a shim, or the .venv of something else, only points at it.
    print(getattr(sys, "_base_executable", None) or sys.executable)
    print(pip_wheel())
    print(*lacks(), sep="\n")
