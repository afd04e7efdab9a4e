"""A checkpoint: the end of every chain at one moment, in a file that is kept elsewhere. With it
a history that was rewritten and chained anew is found too (reliability.md row 20, T21).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from dalhc.db.snapshot import Execute
from processes.services.broken import Broken

VERSION = 1
_ENDS = (
    "SELECT id, revision, chain FROM processes_process "
    "UNION ALL SELECT process_id, revision, chain FROM processes_archived ORDER BY 1"
)
type Ends = Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a checkpoint says of itself; `sha256` is worth writing down by hand."""

    processes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The seq and hash of each process's last event, by process."""

    at: str
    ends: Ends
    sealed: Sealed


def write(execute: Execute, file: BinaryIO, at: str) -> Sealed:
    """One line per process; the last line seals the others."""
    hasher, count = sha256(), -1
    for line in _lines(execute(_ENDS), at):
        hasher.update(line)
        file.write(line)
        count += 1
    sealed = Sealed(count, hasher.hexdigest())
    file.write(_line({"processes": sealed.processes, "sha256": sealed.sha256}))
    return sealed


def _lines(ends: Iterable[tuple[Any, ...]], at: str) -> Iterator[bytes]:
    yield _line({"dalhc": "checkpoint", "version": VERSION, "at": at})
    for process_id, revision, chain in ends:
        yield _line({"id": process_id, "seq": revision, "hash": chain})


def read(path: Path) -> Checkpoint:
    """Raises Broken for a file that is damaged, cut short, or no checkpoint."""
    ends: dict[str, tuple[int, str]] = {}
    hasher, at, sealed = sha256(), "", None
    with path.open("rb") as file:
        for number, line in enumerate(file):
            if sealed is not None:
                raise Broken(f"{path.name}: something follows its seal")
            said = _said(path, line)
            if number == 0:
                at = _begun(path, said)
            elif "sha256" in said:
                sealed = Sealed(len(ends), hasher.hexdigest())
                _require(path, said == {"processes": len(ends), "sha256": sealed.sha256})
            else:
                _require(path, said.keys() == {"id", "seq", "hash"} and said["id"] not in ends)
                ends[said["id"]] = (said["seq"], said["hash"])
            hasher.update(line)
    if sealed is None:
        raise Broken(f"{path.name}: it ends without its seal")
    return Checkpoint(at, ends, sealed)


def _begun(path: Path, said: dict[str, Any]) -> str:
    if said.get("dalhc") != "checkpoint" or said.get("version") != VERSION:
        raise Broken(f"{path.name} is not a checkpoint of this version")
    return str(said["at"])


def _said(path: Path, line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    _require(path, isinstance(said, dict))
    found: dict[str, Any] = said
    return found


def _require(path: Path, holds: bool) -> None:
    if not holds:
        raise Broken(f"{path.name} is damaged: it is not what its seal says")


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said, separators=(",", ":")).encode() + b"\n"
