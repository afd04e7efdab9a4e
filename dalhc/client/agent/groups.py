"""Groups of equal files: equal by hash, then compared byte for byte."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dalhc.client.agent.contents import not_the_same
from dalhc.client.agent.hashing import Hashed
from dalhc.client.agent.names import count, shown
from dalhc.client.agent.tools import Tools
from dalhc.client.agent.walk import Walked

MOST_GROUPS = 500
NAMED, NAME = 20, 500  # paths named in a step's arguments, characters of each
ALL = "all of them"
LEFT_OUT = "Not the same or no longer readable: "


@dataclass(frozen=True, slots=True)
class Group:
    """Two or more files with the same bytes; `paths` sorted, `size` in bytes each."""

    sha256: str
    size: int
    paths: tuple[str, ...]

    @property
    def wasted(self) -> int:
        """Bytes that all copies but one take."""
        return self.size * (len(self.paths) - 1)


def equal_groups(tools: Tools, hashed: Sequence[Hashed], walked: Walked) -> list[Group]:
    """Groups whose files are the same byte for byte, the most wasteful first."""
    found = by_hash(hashed)
    if found[MOST_GROUPS:]:
        left = count(len(found) - MOST_GROUPS, "group")
        walked.notes.append(f"{left} of equal files with the least to gain were left out")
    compared = [_compared(tools, group, walked) for group in found[:MOST_GROUPS]]
    return _most_wasteful_first([group for group in compared if len(group.paths) > 1])


def by_hash(hashed: Sequence[Hashed]) -> list[Group]:
    paths = defaultdict(list)
    for each in hashed:
        if each.sha256:
            paths[each.file.size, each.sha256].append(each.file.path)
    return _most_wasteful_first(
        [
            Group(sha256, size, tuple(sorted(same)))
            for (size, sha256), same in paths.items()
            if len(same) > 1
        ]
    )


def _most_wasteful_first(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.wasted, group.paths))


def _compared(tools: Tools, group: Group, walked: Walked) -> Group:
    args = {
        "files": [shown(path)[:NAME] for path in group.paths[:NAMED]],
        "count": len(group.paths),
        "sha256": group.sha256,
    }
    digest = tools.step(
        "compare", args, lambda: _compare(tools.root, group), on=shown(group.paths[0])
    )
    out = _left_out(digest, len(group.paths))
    walked.notes += [
        f"no longer the same when compared: {shown(group.paths[position])}" for position in out
    ]
    kept = [path for position, path in enumerate(group.paths) if position not in out]
    return Group(group.sha256, group.size, tuple(kept))


def _compare(root: str, group: Group) -> str:
    """The sentence that is recorded, and read back by `_left_out`: numbers count from 1."""
    out = not_the_same(root, group.paths)
    if not out:
        return f"All {count(len(group.paths), 'file')} are the same, byte for byte."
    same = len(group.paths) - len(out)
    numbers = ", ".join(str(position + 1) for position in out)
    if len(numbers) > 1_500:  # a digest that is clipped could not be read back
        numbers = ALL
    said = f"{same} of {count(len(group.paths), 'file')} are the same, byte for byte."
    return f"{said} {LEFT_OUT}{numbers}."


def _left_out(digest: str, members: int) -> set[int]:
    _, _, numbers = digest.partition(LEFT_OUT)
    if numbers.startswith(ALL):
        return set(range(members))
    return {int(number) - 1 for number in re.findall(r"\d+", numbers)}
