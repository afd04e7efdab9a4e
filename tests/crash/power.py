"""Cut the power at every moment of a recording, and look at each disk that could be left."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random

from dalhc.db.sqlite.library import sqlite
from processes.services.broken import Broken
from processes.services.verifying import verify_chains
from tests.crash.disk import MODES, Mode
from tests.crash.lifecycle import missing
from tests.crash.tracing import Call, calls_of, moments

DATABASE = "dalhc.sqlite3"
ROUNDS = 200

# What is wrong in this folder, given everything told until then; empty when nothing is.
type Look = Callable[[Path, list[str]], list[str]]


@dataclass
class Found:
    """Each different disk counts once; `bad` are those that had lost something."""

    states: int = 0
    moments: int = 0
    told: int = 0
    bad: int = 0
    lost: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Recording:
    """What a program asked of the disk that `before` was on."""

    calls: list[Call]
    home: Path
    before: Mapping[str, bytes]

    @property
    def told(self) -> list[str]:
        """Everything the program had been told when it ended."""
        *_, last = moments(self.calls, self.home, self.before)
        return list(last.told)

    @classmethod
    def read(cls, log: Path, home: Path, before: Mapping[str, bytes]) -> Recording:
        return cls(calls_of(log), home, before)


def files_of(home: Path) -> dict[str, bytes]:
    """Every file by its path below home; what only lives while a process does is left out."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def cut(
    recording: Recording, at_least: int, look: Look, folder: Path, seed: int, below: str = ""
) -> Found:
    """Look at so many different disks, or all when there are fewer, spread over all moments;
    at what is `below` a folder alone, if one is named.
    """
    found, seen, chance = Found(), set[bytes](), Random(seed)
    found.moments = sum(1 for _ in moments(recording.calls, recording.home, recording.before))
    for _ in range(ROUNDS):
        share = (at_least - found.states) / (found.moments * len(MODES)) + 0.01
        if found.states:  # what is new is rare by now
            share = max(0.2, share)
        before = found.states
        for files, told in _left(recording, share, chance, below):
            state = _digest(files, told)
            if state in seen or found.states >= at_least:
                continue
            seen.add(state)
            found.states += 1
            found.told = max(found.told, len(told))
            _lay(folder, files)
            lost = look(folder, told)
            found.lost += lost
            found.bad += bool(lost)
        if found.states in {before, at_least}:  # all there are, or enough
            break
    return found


def look_at_database(folder: Path, told: list[str]) -> list[str]:
    """SQLite opens it, it is whole, every chain holds, and everything told is there once."""
    database = sqlite.connect(folder / DATABASE)
    try:
        wrong = [row[0] for row in database.execute("PRAGMA integrity_check") if row != ("ok",)]
        wrong += [str(row) for row in database.execute("PRAGMA foreign_key_check")]
        verify_chains(database.execute)
        return wrong + missing(database.execute, told) + _without_bytes(database, folder)
    except (sqlite.DatabaseError, Broken) as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        database.close()


def _without_bytes(database: sqlite.Connection, folder: Path) -> list[str]:
    """Artifacts whose row is there and whose bytes are not."""
    rows = database.execute("SELECT process_id, sha256 FROM processes_artifact").fetchall()
    places = [(folder / "artifacts" / name / digest, digest) for name, digest in rows]
    return [
        f"no bytes: {place}"
        for place, digest in places
        if not place.is_file() or sha256(place.read_bytes()).hexdigest() != digest
    ]


def _left(
    recording: Recording, share: float, chance: Random, below: str
) -> Iterator[tuple[dict[str, bytes], list[str]]]:
    """The disks of one pass; of all there could be, this share."""
    for moment in moments(recording.calls, recording.home, recording.before):
        modes: list[Mode] = [mode for mode in MODES if chance.random() < share]
        for mode in modes:
            yield moment.disk.after(mode, chance, below), list(moment.told)


def _digest(files: Mapping[str, bytes], told: list[str]) -> bytes:
    hasher = sha256(str(len(told)).encode())
    for path, content in files.items():
        hasher.update(f"\0{path}\0{len(content)}\0".encode())
        hasher.update(content)
    return hasher.digest()


def _lay(folder: Path, files: Mapping[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
