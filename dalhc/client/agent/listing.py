"""One folder as it was found: its files and folders, and what was left out."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from typing import Any

from dalhc.client.agent.names import count, in_bytes, shown

MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class File:
    """`path` is relative to the folder searched, `link` the same for two names of one file."""

    path: str
    size: int
    link: str = ""


@dataclass(slots=True)
class Listing:
    """What `list_folder` records, and reads back after a crash."""

    files: list[File] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    hidden: int = 0
    links: int = 0
    special: int = 0
    more: int = 0  # files beyond the bound
    unreadable: list[str] = field(default_factory=list)

    def dump(self) -> bytes:
        """ASCII JSON: it carries any file name, also one that is not UTF-8."""
        return json.dumps(self._fields()).encode()

    @classmethod
    def load(cls, raw: bytes) -> Listing:
        fields = json.loads(raw)
        return cls(**{**fields, "files": [File(*file) for file in fields["files"]]})

    def in_words(self) -> str:
        total = in_bytes(sum(file.size for file in self.files))
        folders = count(len(self.folders), "folder")
        said = [f"{count(len(self.files), 'file')} ({total}), {folders}"]
        said += [f"{self.hidden:,} hidden left out"] if self.hidden else []
        said += [f"{count(self.links, 'symbolic link')} left out"] if self.links else []
        said += [f"{count(self.special, 'special file')} left out"] if self.special else []
        said += [f"{count(self.more, 'file')} beyond the limit"] if self.more else []
        said += [f"could not be read: {name}" for name in self.unreadable[:5]]
        return "; ".join(said) + "."

    def _fields(self) -> dict[str, Any]:
        files = [[file.path, file.size, file.link] for file in self.files]
        names = ("folders", "hidden", "links", "special", "more", "unreadable")
        return {"files": files} | {name: getattr(self, name) for name in names}


def list_folder(root: str, folder: str) -> Listing:
    """What is in `folder` (relative to `root`, "" for itself), by name. Follows no link."""
    found = Listing()
    try:
        with os.scandir(os.path.join(root, folder)) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError as error:
        found.unreadable.append(f"{shown(folder) or '.'} ({error.strerror})")
        return found
    for name in names:
        _add(found, root, f"{folder}/{name}" if folder else name)
    return found


def _add(found: Listing, root: str, path: str) -> None:
    try:
        status = os.lstat(os.path.join(root, path))
    except OSError as error:
        found.unreadable.append(f"{shown(path)} ({error.strerror})")
        return
    if stat.S_ISLNK(status.st_mode):
        found.links += 1
    elif os.path.basename(path).startswith("."):
        found.hidden += 1
    elif stat.S_ISDIR(status.st_mode):
        found.folders.append(path)
    elif not stat.S_ISREG(status.st_mode):
        found.special += 1
    elif len(found.files) >= MOST_FILES:
        found.more += 1
    else:
        link = f"{status.st_dev}:{status.st_ino}" if status.st_nlink > 1 else ""
        found.files.append(File(path, status.st_size, link))
