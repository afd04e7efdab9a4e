"""A folder of journals as a DAL runtime keeps them, and the mirror of it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from dalhc.client import JournalFolder
from processes.bridge.watch import Watch
from processes.journal.folder import Folder
from processes.models import JournalFile, Suspension
from processes.services import mirror
from tests import goldens
from tests.making import Made


class Journals:
    """`put` writes as a foreign runtime does: a temporary file and a rename, without a lock."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder, self.watch = root, Folder(root), Watch(root)
        self.runtime = JournalFolder(root, environ={})
        root.mkdir(exist_ok=True)

    def golden(self, name: str) -> Made:
        """One of the golden files, mirrored."""
        shutil.copy(goldens.JOURNALS / f"{name}.json", self.root)
        return self.look(name)

    def put(self, id: str, **fields: Any) -> Made:
        """A change of a file by its runtime, mirrored."""
        self.write(id, **fields)
        return self.look(id)

    def write(self, id: str, **fields: Any) -> None:
        path = self.root / f"{id}.json"
        was = self.told(id) if path.exists() else json.loads(goldens.text("running"))
        text = json.dumps(was | {"id": id} | fields, indent=2, ensure_ascii=False)
        part = path.with_suffix(".part")
        part.write_text(text)
        os.replace(part, path)

    def look(self, id: str) -> Made:
        mirror.refresh(self.folder, f"{id}.json")
        stop = Suspension.objects.of(id).newest_first().first()
        return Made(id, stop.id if stop else "", mirror.AGENT)

    def told(self, id: str) -> dict[str, Any]:
        """What the file says."""
        return dict(json.loads((self.root / f"{id}.json").read_bytes()))

    def row(self, name: str) -> JournalFile:
        return JournalFile.objects.get(id=str(self.root / name))

    @property
    def refused(self) -> dict[str, str]:
        """The code of each file that is refused."""
        rows = JournalFile.objects.refused().under(str(self.root))
        return {row.name: row.code for row in rows}
