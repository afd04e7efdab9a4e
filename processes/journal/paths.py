"""Names that become file names: process ids and artifact paths (S0:23, S0:33)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from processes.journal import limits
from processes.journal.errors import InvalidArtifactPath, InvalidProcessId

_ID = re.compile(rf"(?!\.)(?!.*\.\.)[A-Za-z0-9._-]{{1,{limits.ID_CHARS}}}(?<!\.)")
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10)),
}
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\\:]")


def process_id(value: str) -> str:
    """The id itself, or InvalidProcessId. The id is a file name, so nothing is trimmed
    (contract O06-O11).
    """
    if not _ID.fullmatch(value):
        raise InvalidProcessId(pointer="/id")
    return value


def is_process_id(value: str) -> bool:
    return _ID.fullmatch(value) is not None


def is_device_name(value: str) -> bool:
    """Windows opens a device for such a name, whatever its extension; files never take one."""
    return value.split(".", 1)[0].casefold() in _DEVICES


def artifact_path(value: str, pointer: str = "/artifacts") -> str:
    """The path itself, or InvalidArtifactPath (contract A28-A31)."""
    problem = _fault(value)
    if problem:
        raise InvalidArtifactPath(f"{value[:80]!a} {problem}.", pointer=pointer)
    return value


def artifact_paths(values: Iterable[str], pointer: str = "/artifacts") -> tuple[str, ...]:
    """Every path is checked, also those past the bound that are not kept."""
    paths = tuple(artifact_path(value, f"{pointer}/{n}") for n, value in enumerate(values))
    if len(set(paths)) < len(paths):
        raise InvalidArtifactPath("The same artifact path is named twice.", pointer=pointer)
    return paths


def _fault(value: str) -> str:
    if not value:
        return "is empty"
    if len(value) > limits.ARTIFACT_PATH_CHARS:
        return f"is longer than {limits.ARTIFACT_PATH_CHARS} characters"
    if _FORBIDDEN.search(value):
        return "has a backslash, a colon or a control character"
    if value.startswith(("/", "~")):
        return "is not relative"
    for part in value.split("/"):
        if part in {"", ".", ".."}:
            return "has an empty part, '.' or '..'"
        if part != part.rstrip(" .") or part != part.lstrip(" "):
            return "has a part that begins or ends with a space, or ends with a dot"
        if is_device_name(part):
            return "names a device"
    return ""
