"""A journal file of a watched folder as a process: owned by the file, read here, never guessed
(architecture §3.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dalhc.clock import now_ms
from dalhc.db.refusals import StorageRefusal
from dalhc.problems import Problem
from processes.journal import errors, limits
from processes.journal.folder import ENDING, Folder
from processes.journal.whole import Whole, load
from processes.models.process import FILES
from processes.services import following
from processes.services.actors import Actor
from processes.services.imports import insert
from processes.services.verb import Unchanged, Verb, tell
from processes.store import files, opening

AGENT = "dal"
BY = Actor("system", "files")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read: its text, and the stamp it had then."""

    folder: Folder
    name: str
    text: bytes
    stamp: str

    @property
    def path(self) -> Path:
        return self.folder.path / self.name

    @property
    def sha256(self) -> str:
        return sha256(self.text).hexdigest()


def refresh(folder: Folder, name: str) -> bool:
    """Read one file and mirror it, or list why not. True when that changed something."""
    path = folder.path / name
    try:
        seen = look(folder, name)
    except FileNotFoundError:
        gone(path)
        return True
    except Problem as problem:
        refuse(path, folder.stamp(name) or "", problem)
        return True
    try:
        return take(seen, read(seen))
    except StorageRefusal:
        raise
    except Problem as problem:
        refuse(path, seen.stamp, problem)
        return True


def look(folder: Folder, name: str) -> Seen:
    """Read one file. Raises FileNotFoundError, NotAFile, FileChanged, and CorruptRecord for one
    that is too large or may not be read.
    """
    try:
        found = folder.read(name)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise errors.CorruptRecord(f"The file cannot be read: {error.strerror}.") from None
    return Seen(folder, name, found.text, found.stamp)


def read(seen: Seen) -> Whole:
    """What the file holds. Raises whatever makes it no journal (contract K07, K12, R21)."""
    whole = load(seen.text)
    if seen.name != f"{whole.record.id}{ENDING}":
        told = f"The file is not named after its id: {whole.record.id}{ENDING} would be."
        raise errors.InvalidProcessId(told, pointer="/id")
    return whole


@Verb
def take(seen: Seen, whole: Whole, *, by: Actor = BY, note: str | None = None) -> bool:
    """Mirror the file; False when nothing of it is new. Raises ProcessExists.

    `note` and `by` are of a person who ended the process, and only then.
    """
    known, digest, now = files.find(seen.path), seen.sha256, now_ms()
    if known and known.sha256 == digest and not known.code:
        if known.stamp == seen.stamp:
            raise Unchanged(False)
        files.keep(seen.path, now, stamp=seen.stamp)
        return False
    if seen.folder.stamp(seen.name) != seen.stamp:
        raise Unchanged(False)  # it has changed since; whoever saw that comes with the new one
    _mirror(seen, whole, digest, by, note)
    id = whole.record.id
    files.keep(
        seen.path, now, process_id=id, sha256=digest, stamp=seen.stamp, code="", detail=""
    )
    tell(id, "inbox")
    return True


def _mirror(seen: Seen, whole: Whole, digest: str, by: Actor, note: str | None) -> None:
    existing = opening.find(whole.record.id)
    if existing is None:
        insert(whole.record, whole.extra, digest, AGENT, str(BY), origin=FILES)
        return
    if existing.id != whole.record.id or existing.origin != FILES:
        raise errors.ProcessExists("A process of the API has this id.", pointer="/id")
    other = files.of(existing.id)
    if other and other.id != files.key(seen.path):
        if other.code != errors.FileGone.code:
            raise errors.ProcessExists("Another folder has a journal of this id.")
        files.forget(Path(other.id))
    following.follow(existing.id, whole, digest, by, note)


@Verb
def refuse(path: Path, stamp: str, problem: Problem) -> None:
    """List the file with the reason. What was read of it before stays, and is told so."""
    known = files.find(path)
    code, detail = problem.code, problem.detail[: limits.NOTE_CHARS]
    if known and (known.code, known.detail, known.stamp) == (code, detail, stamp):
        raise Unchanged(None)
    files.keep(path, now_ms(), stamp=stamp, code=code, detail=detail)
    if known and known.process_id:
        tell(known.process_id)


@Verb
def gone(path: Path) -> None:
    """The file is not there any more: a process it held stays as it was read last."""
    known = files.find(path)
    if known is None or known.code == errors.FileGone.code:
        raise Unchanged(None)
    if known.process_id is None:
        files.forget(path)
        return
    lost = errors.FileGone()
    files.keep(path, now_ms(), stamp="", code=lost.code, detail=lost.detail)
    tell(known.process_id)
