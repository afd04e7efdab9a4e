"""The note a finished set-up leaves in .venv, so that the next start can skip it."""

from __future__ import annotations

import hashlib
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
NOTE = os.path.join(VENV, "installed")
LOCKS = {"run": ("run",), "dev": ("run", "dev")}


def fits(want: str) -> bool:
    """True when the last set-up was finished here and installed what `want` locks now."""
    return is_whole() and f"{want} {fingerprint(want)}" in _lines()


def is_whole() -> bool:
    """True when a set-up was finished in this place with this Python, whatever it installed."""
    lines = _lines()
    asked = os.environ.get("DALHC_PYTHON")
    here = f"place {VENV}" in lines  # an environment cannot be moved
    return here and (not asked or f"python {asked}" in lines) and os.path.exists(PYTHON)


def write(want: str, python: str) -> None:
    """All at once and last of all, so a set-up that was cut short has no note."""
    asked = os.environ.get("DALHC_PYTHON") or python
    locks = [f"{name} {fingerprint(name)}" for name in LOCKS[want]]
    lines = [f"place {VENV}", *{f"python {python}", f"python {asked}"}, *locks]
    with open(f"{NOTE}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join([*lines, ""]))
    os.replace(f"{NOTE}.new", NOTE)


def remove() -> None:
    """From here until `write`, .venv counts as half made."""
    if os.path.exists(NOTE):
        os.remove(NOTE)


def fingerprint(want: str) -> str:
    """SHA-256 over the two locks that fill an environment."""
    digest = hashlib.sha256()
    for name in ("uv", want):
        with open(lock(name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def lock(name: str) -> str:
    return os.path.join(ROOT, "requirements", f"{name}.txt")


def _lines() -> list[str]:
    try:
        with open(NOTE, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []
