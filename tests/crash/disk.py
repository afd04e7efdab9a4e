"""A disk as POSIX promises it: what was flushed is there after a power cut, and of the rest any
part may be, in any order.

Files are known by their path below one folder. Contents become sure by flushing the file, names
by flushing the folder that holds them; names of one folder come in the order they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath
from random import Random
from typing import Literal

SECTOR = 512

type Mode = Literal["none", "all", "some", "torn"]
MODES: tuple[Mode, ...] = ("none", "all", "some", "torn")


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    offset: int
    data: bytes

    def apply(self, content: bytearray) -> None:
        content.extend(bytes(max(0, self.offset - len(content))))
        content[self.offset : self.offset + len(self.data)] = self.data

    def sectors(self) -> list[Write]:
        """What a disk writes in one piece each."""
        ends = range(self.offset - self.offset % SECTOR + SECTOR, self.end, SECTOR)
        cuts = [self.offset, *ends, self.end]
        return [
            Write(start, self.data[start - self.offset : stop - self.offset])
            for start, stop in pairwise(cuts)
        ]

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    size: int

    def apply(self, content: bytearray) -> None:
        content.extend(bytes(max(0, self.size - len(content))))
        del content[self.size :]

    def sectors(self) -> list[Cut]:
        return [self]


@dataclass(eq=False)
class Node:
    """A file's content, or a folder: what is sure, and what is not yet. `size` is of now."""

    kept: bytes = b""
    pending: list[Write | Cut] = field(default_factory=list)
    size: int = 0
    is_folder: bool = False

    def change(self, change: Write | Cut) -> None:
        self.pending.append(change)
        self.size = change.size if isinstance(change, Cut) else max(self.size, change.end)

    def after(self, mode: Mode, chance: Random) -> bytes:
        """The content that a power cut leaves."""
        content = bytearray(self.kept)
        for change in self.pending if mode != "none" else ():
            for part in change.sectors() if mode == "torn" else [change]:
                if mode == "all" or chance.random() < 0.5:
                    part.apply(content)
        return bytes(content)


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """Names of one folder given or taken at once, as a rename does."""

    folder: str
    names: Mapping[str, Node | None]


class Disk:
    """`files` are there from the beginning; folders above them too."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.now: dict[str, Node] = {}
        for path, content in files.items():
            self.now[path] = Node(kept=content, size=len(content))
            for above in _folders_of(path):
                self.now[above] = Node(is_folder=True)
        self._sure = dict(self.now)
        self._naming: list[Naming] = []

    def make(self, path: str, *, is_folder: bool = False) -> None:
        self._name(path, {path: Node(is_folder=is_folder)})

    def link(self, old: str, new: str) -> None:
        self._name(new, {new: self.now[old]})

    def rename(self, old: str, new: str) -> None:
        assert _folder_of(old) == _folder_of(new), "only within one folder"
        self._name(new, {new: self.now[old], old: None})

    def unlink(self, path: str) -> None:
        self._name(path, {path: None})

    def write(self, path: str, offset: int | None, data: bytes) -> None:
        """Without an offset at the end: so are new files written, and no others."""
        node = self.now[path]
        node.change(Write(node.size if offset is None else offset, data))

    def cut(self, path: str, size: int) -> None:
        self.now[path].change(Cut(size))

    def flush(self, path: str) -> Callable[[], None]:
        """A flush begins; what is pending now is sure once the result has been called."""
        node = self.now.get(path)
        if node is None or node.is_folder:
            naming = [one for one in self._naming if one.folder == path]
            return lambda: self._sure_names(naming)
        pending = list(node.pending)
        return lambda: _sure_content(node, pending)

    def after(self, mode: Mode, chance: Random, below: str = "") -> dict[str, bytes]:
        """The files that a power cut now leaves below a folder, with their contents."""
        names = dict(self._sure)
        for one in self._kept_namings(mode, chance):
            _apply(one, names)
        return {
            path: node.after(mode, chance)
            for path, node in sorted(names.items())
            if path.startswith(below)
            and not node.is_folder
            and names.keys() >= set(_folders_of(path))
        }

    def _kept_namings(self, mode: Mode, chance: Random) -> list[Naming]:
        if mode in {"none", "all"}:
            return self._naming if mode == "all" else []
        folders = sorted({one.folder for one in self._naming})
        kept: dict[str, int] = {}
        for folder in folders:
            count = sum(one.folder == folder for one in self._naming)
            kept[folder] = chance.randint(0, count)
        found = []
        for one in self._naming:
            if kept[one.folder] > 0:
                kept[one.folder] -= 1
                found.append(one)
        return found

    def _name(self, path: str, names: Mapping[str, Node | None]) -> None:
        naming = Naming(_folder_of(path), names)
        self._naming.append(naming)
        _apply(naming, self.now)

    def _sure_names(self, naming: list[Naming]) -> None:
        for one in naming:
            if one in self._naming:
                self._naming.remove(one)
                _apply(one, self._sure)


def _sure_content(node: Node, changes: list[Write | Cut]) -> None:
    content = bytearray(node.kept)
    for change in changes:
        if change in node.pending:
            node.pending.remove(change)
            change.apply(content)
    node.kept = bytes(content)


def _apply(naming: Naming, names: dict[str, Node]) -> None:
    for path, node in naming.names.items():
        if node is None:
            names.pop(path, None)
        else:
            names[path] = node


def _folder_of(path: str) -> str:
    above = str(PurePosixPath(path).parent)
    return "" if above == "." else above


def _folders_of(path: str) -> list[str]:
    """Every folder between the top and this path."""
    return [str(above) for above in PurePosixPath(path).parents if str(above) != "."]
