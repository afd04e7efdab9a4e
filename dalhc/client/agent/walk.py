"""The whole folder, folder by folder, nearest first; each listing is kept as an artifact."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from dalhc.client.agent.listing import MOST_FILES, File, Listing, list_folder
from dalhc.client.agent.names import argument, count, shown
from dalhc.client.agent.tools import Tools

MOST_FOLDERS = 600  # one artifact each; a process keeps 1,000


@dataclass(slots=True)
class Walked:
    """Every file found, and what was left out on the way."""

    files: list[File] = field(default_factory=list)
    folders: int = 0
    hidden: int = 0
    links: int = 0
    special: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, listing: Listing) -> None:
        self.folders += 1
        self.files += listing.files
        self.hidden += listing.hidden
        self.links += listing.links
        self.special += listing.special
        self.notes += [f"could not be read: {name}" for name in listing.unreadable]
        if listing.more:
            self.notes.append(f"{count(listing.more, 'file')} of a large folder left out")


def walk(tools: Tools) -> Walked:
    """List every folder in steps; what was recorded is read back, whatever the disk holds."""
    found, waiting = Walked(), deque([""])
    while waiting:
        if found.folders >= MOST_FOLDERS or len(found.files) >= MOST_FILES:
            found.notes.append(_limit(found, len(waiting)))
            break
        listing = _listed(tools, waiting.popleft(), found.folders + 1)
        waiting += listing.folders
        found.add(listing)
    return found


def _listed(tools: Tools, folder: str, number: int) -> Listing:
    kept = f"listing/{number:04d}.json"

    def do() -> str:
        listing = list_folder(tools.root, folder)
        tools.run.artifact(kept, listing.dump())
        return listing.in_words()

    tools.step("list_folder", argument(folder or "."), do, on=shown(folder or "."))
    return Listing.load(tools.run.read_artifact(kept))


def _limit(found: Walked, waiting: int) -> str:
    seen = f"{count(found.folders, 'folder')} and {count(len(found.files), 'file')}"
    return f"stopped after {seen}; at least {count(waiting, 'folder')} more were not looked at"
