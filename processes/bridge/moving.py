"""Runs moved between machines as files: taken in, handed out, or only looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dalhc.problems import Problem
from processes import services
from processes.bridge.pipeline import pipelined
from processes.journal import errors, folder, saving
from processes.journal.folder import ENDING, Folder
from processes.models import Process
from processes.services import Actor, Opened, mirror
from processes.services.journals import journal_text

type Told = Callable[[Path, str, str], None]  # file, "" or a code, what is wrong with it


@dataclass(slots=True)
class Count:
    """What a command did: `kept` is new, `same` was there already."""

    kept: int = 0
    same: int = 0
    refused: int = 0


def journals(path: Path) -> list[Path]:
    """A file, or the journals of a folder in order; leftovers of writes are among them."""
    if not path.is_dir():
        return [path]
    names = Folder(path).entries()
    return [path / name for name in sorted(names) if name.endswith((ENDING, ".tmp"))]


def take_in(files: Iterable[Path], agent: str, told: Told) -> Count:
    """Import each file as a process of this agent; it belongs to the API from then on."""
    by = Actor("system", "import", agent=agent, scopes=frozenset({"journal", "read"}))
    count = Count()

    def begin(path: Path) -> Future[Opened]:
        seen = _looked(path)
        return services.import_whole.submit(mirror.read(seen), seen.sha256, by=by)

    def done(path: Path, opened: Opened | None, error: Exception | None) -> None:
        if error is None:
            count.kept += opened is not None and opened.created
            count.same += opened is None or not opened.created
            told(path, "", "")
        else:
            _refused(path, error, count, told)

    pipelined(files, begin, done)
    return count


def check(files: Iterable[Path], told: Told) -> Count:
    """Read each file and change nothing, here or there."""
    count = Count()
    for path in files:
        try:
            mirror.read(_looked(path))
            count.kept += 1
            told(path, "", "")
        except (Problem, OSError) as error:
            _refused(path, error, count, told)
    return count


def hand_out(ids: Iterable[str], target: Path, by: Actor, told: Told) -> Count:
    """Write each process as its file; one that stands there otherwise is left as it is."""
    place, count = Folder(target), Count()
    place.make()
    for id in ids:
        try:
            text = journal_text(id, by).encode()
            if _created(place, id, text):
                count.kept += 1
            else:
                count.same += 1
            told(target / f"{id}{ENDING}", "", "")
        except (Problem, OSError) as error:
            _refused(target / f"{id}{ENDING}", error, count, told)
    return count


def every_id() -> Iterator[str]:
    """All processes, in order, a page at a time."""
    after = ""
    while page := list(
        Process.objects.filter(id__gt=after).order_by("id").values_list("id", flat=True)[:500]
    ):
        yield from page
        after = page[-1]


def _looked(path: Path) -> mirror.Seen:
    if path.name.endswith(".tmp"):
        raise errors.UnfinishedWrite
    return mirror.look(Folder(path.parent), path.name)


def _created(place: Folder, id: str, text: bytes) -> bool:
    name = folder.file_name(id)
    with place.locked(id) as at:
        with suppress(FileNotFoundError):
            if folder.read(at, name).text == text:
                return False
            raise errors.ProcessExists("There is another file of this name.")
        saving.create(at, id, text)
        return True


def _refused(path: Path, error: Exception, count: Count, told: Told) -> None:
    count.refused += 1
    match error:
        case Problem():
            told(path, error.code, error.detail)
        case FileNotFoundError():
            told(path, "not_found", "There is no such file.")
        case OSError():
            told(path, "unreadable", f"{error.strerror}.")
        case _:
            raise error
