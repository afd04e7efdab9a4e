"""The embedded parts of a passport: how they stand in the page, and how they are read again.

Each part is a script element of data, never run, on lines of its own. What an agent wrote holds
no `<` in there nor in the page, so nothing it says can begin or end a part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from processes.journal import limits
from processes.services.broken import Broken
from processes.services.passports import PARTS, VERSION

_OPEN = '<script type="application/json" id="dalhc-{}">\n'
_CLOSE = "</script>\n"
_END = "</body>\n</html>\n"
_OPENS = {_OPEN.format(name).encode(): name for name in (*PARTS, "seal")}


def embedded(parts: Iterable[tuple[str, Iterator[str]]]) -> Iterator[str]:
    """The parts as they stand in the page. Inside JSON a `<` can be spelled otherwise."""
    for name, lines in parts:
        yield _OPEN.format(name)
        for line in lines:
            yield line.replace("<", "\\u003c")
        yield _CLOSE


def sealed(page: Iterable[str]) -> Iterator[str]:
    """The page, and at its end the hash of every byte before."""
    hasher = sha256()
    for piece in page:
        hasher.update(piece.encode())
        yield piece
    yield _OPEN.format("seal")
    yield json.dumps({"sha256": hasher.hexdigest()}) + "\n"
    yield _CLOSE
    yield _END


class Parts:
    """Reads a passport once, in order: `lines("head")`, then `lines("journal")`, …

    Raises Broken for whatever is missing, out of place or not what the seal says.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._lines = iter(file)
        self._name = name
        self._hasher = sha256()

    def rows(self, part: str) -> Iterator[dict[str, Any]]:
        """Each line of a part, read."""
        for line in self.lines(part):
            yield self._json(line)

    def lines(self, part: str) -> Iterator[bytes]:
        self._find(part)
        for line in self._lines:
            self._hasher.update(line)
            if line == _CLOSE.encode():
                return
            yield line
        raise Broken(f"{self._name} ends within its {part}")

    def check_seal(self) -> None:
        """The seal holds and ends the file."""
        before = self._find("seal")
        said, rest = next(self._lines, b""), b"".join(self._lines)
        if rest != (_CLOSE + _END).encode() or self._json(said) != {"sha256": before}:
            raise Broken(f"{self._name} was changed after it was sealed")

    def _find(self, part: str) -> str:
        """Read up to the part; the hash of all before it."""
        for line in self._lines:
            found = _OPENS.get(line)
            before = self._hasher.hexdigest() if found == "seal" else ""
            self._hasher.update(line)
            if found == part:
                return before
            if found is not None:
                break
        raise Broken(f"{self._name} has no {part} where it should be")

    def _json(self, line: bytes) -> dict[str, Any]:
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise Broken(f"{self._name} holds a line that is not JSON")
        return said


def journal_of(path: Path) -> bytes:
    """The journal file that a passport carries. Raises Broken."""
    with path.open("rb") as file:
        parts = Parts(file, path.name)
        head_of(parts, path.name)
        return _bounded(parts.lines("journal"), path.name)


def _bounded(lines: Iterator[bytes], name: str) -> bytes:
    """All of it, unless that is more than a journal may be."""
    text = bytearray()
    for line in lines:
        text += line
        if len(text) > limits.FILE_BYTES:
            raise Broken(f"{name} holds a journal of more than {limits.FILE_BYTES >> 20} MiB")
    return bytes(text)


def head_of(parts: Parts, name: str) -> dict[str, Any]:
    """The first part, of a version that is known here."""
    rows = list(parts.rows("head"))
    if len(rows) != 1 or rows[0].get("dalhc") != "passport":
        raise Broken(f"{name} is not a passport")
    if rows[0].get("version") != VERSION:
        raise Broken(f"{name} is a passport of another version")
    return rows[0]
