"""Hashing the files that could be duplicates: those whose size occurs more than once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalhc.client.agent.contents import Unreadable, digest
from dalhc.client.agent.listing import File
from dalhc.client.agent.names import count, in_bytes, shown
from dalhc.client.agent.tools import Tools
from dalhc.client.agent.walk import Walked

FILES = 100
BYTES = 256 * 1000 * 1000
NAMES = 24 * 1024  # characters of paths in one step's arguments, which hold 64 KiB
MOST_BATCHES = 250  # one artifact each


@dataclass(frozen=True, slots=True)
class Hashed:
    """A file and the SHA-256 of its bytes, or why there is none."""

    file: File
    sha256: str = ""
    reason: str = ""


def candidates(files: Sequence[File]) -> list[File]:
    """Files that may have a twin, largest first; no empty one, no second name of one file."""
    seen: set[str] = set()
    single = []
    for file in sorted(files, key=lambda file: file.path):
        if file.size and not (file.link and file.link in seen):
            seen.add(file.link)
            single.append(file)
    sizes = Counter(file.size for file in single)
    return sorted(
        (file for file in single if sizes[file.size] > 1),
        key=lambda file: (-file.size, file.path),
    )


def batches(files: Sequence[File]) -> Iterator[list[File]]:
    """Bounded in files, bytes and length of names, so that a crash repeats little."""
    batch: list[File] = []
    size = names = 0
    for file in files:
        length = len(json.dumps(shown(file.path)))
        full = len(batch) == FILES or size + file.size > BYTES or names + length > NAMES
        if batch and full:
            yield batch
            batch, size, names = [], 0, 0
        batch.append(file)
        size, names = size + file.size, names + length
    if batch:
        yield batch


def hash_files(tools: Tools, walked: Walked) -> list[Hashed]:
    """Hash in steps, one artifact per batch; what was recorded is read back."""
    found: list[Hashed] = []
    waiting = list(batches(candidates(walked.files)))
    for number, batch in enumerate(waiting[:MOST_BATCHES], start=1):
        found += _hashed(tools, number, batch)
    left = sum(map(len, waiting[MOST_BATCHES:]))
    if left:
        walked.notes.append(f"{count(left, 'smaller file')} of equal size were not compared")
    walked.notes += [
        f"could not be compared: {shown(each.file.path)} ({each.reason})"
        for each in found
        if each.reason
    ]
    return found


def _hashed(tools: Tools, number: int, batch: list[File]) -> list[Hashed]:
    kept = f"hashes/{number:04d}.json"

    def do() -> str:
        hashed = [_hash(tools.root, file) for file in batch]
        rows = [[each.sha256, each.reason] for each in hashed]
        tools.run.artifact(kept, json.dumps(rows).encode())
        return _in_words(hashed)

    args = {"batch": number, "files": [shown(file.path) for file in batch]}
    tools.step("hash_files", args, do, on=f"batch {number}")
    rows = json.loads(tools.run.read_artifact(kept))
    return [Hashed(file, *row) for file, row in zip(batch, rows, strict=True)]


def _hash(root: str, file: File) -> Hashed:
    try:
        return Hashed(file, digest(root, file.path, file.size))
    except Unreadable as error:
        return Hashed(file, reason=str(error))


def _in_words(hashed: Sequence[Hashed]) -> str:
    read = [each for each in hashed if each.sha256]
    twins = [n for n in Counter(each.sha256 for each in read).values() if n > 1]
    total = in_bytes(sum(each.file.size for each in read))
    said = f"{count(len(read), 'file')} hashed ({total})"
    said += f"; {count(sum(twins), 'file')} with a twin here" if twins else "; no twins here"
    failed = len(hashed) - len(read)
    return f"{said}; {count(failed, 'file')} could not be read." if failed else f"{said}."
