"""Retention: what settled long ago is written down as a passport and removed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from dalhc import folders
from dalhc.http.streams import chunks
from processes.management.files import whole
from processes.models import Process, Suspension
from processes.services import artifact_bytes, passport_check
from processes.services.actors import Actor
from processes.services.archiving import archive
from processes.services.passports import snapshot_of
from processes.shown import passport

RETENTION = Actor("system", "retention", scopes=frozenset({"admin", "read"}))
_PAGE = 500


def archive_folder() -> Path:
    return Path(settings.DATA_DIR) / "archive"


def due(before_ms: int) -> Iterator[Process]:
    """Settled before that moment, the oldest first, and nothing asked that is still open."""
    place = (0, "")
    while True:
        rows = Process.objects.settled().filter(updated_at_ms__lt=before_ms, origin="api")
        page = list(rows.changed_after(*place).oldest_first()[:_PAGE])
        if not page:
            return
        open_ones = set(_with_open_stops(page))
        yield from (process for process in page if process.id not in open_ones)
        place = (page[-1].updated_at_ms, page[-1].id)


def _with_open_stops(page: list[Process]) -> Iterator[str]:
    ids = [process.id for process in page]
    rows = Suspension.objects.filter(process_id__in=ids).open()
    yield from rows.values_list("process_id", flat=True)


def retire(process_id: str, folder: Path) -> Path:
    """Write the passport, read it back, and only then remove the process; its artifacts' bytes
    move beside the passport. Killed at any point, the next run does the rest.

    Raises Broken, NotArchived, OSError.
    """
    snapshot = snapshot_of(process_id)
    target = folder / f"{process_id}.html"
    with whole(target) as file:
        for part in chunks(passport.page(snapshot)):
            file.write(part)
    held = passport_check.check(target, {})
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with artifact_bytes.moving():
        archive(process_id, held.revision, held.chain, digest, by=RETENTION)
        move_artifacts(process_id, folder)
    return target


def move_artifacts(process_id: str, folder: Path) -> None:
    """From the data folder to `<id>.files` beside the passport, in one rename."""
    source = Path(settings.DATA_DIR) / "artifacts" / process_id
    if source.is_dir():
        source.rename(folder / f"{process_id}.files")
        folders.flush(folder)
