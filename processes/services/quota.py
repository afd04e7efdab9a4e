"""How many bytes of artifacts still fit: of one process, and of the whole server."""

from __future__ import annotations

import time
from threading import Lock

from django.conf import settings
from django.db.models import Sum

from processes.models import Artifact
from processes.models.artifact import ArtifactQuery

MIB = 1024 * 1024
NO_LIMIT = 2**63
SECONDS = 30.0
_reading = Lock()
_total = (-SECONDS, 0)  # when it was added up, and to what


def room(process_id: str, path: str) -> int:
    """Bytes that an artifact at this path may have; what it replaces counts as free."""
    kept = Artifact.objects.filter(process_id=process_id)
    replaced = _sum(kept.filter(path=path))
    allowed = NO_LIMIT
    if most := settings.ENVIRONMENT.artifacts_mib_per_process:
        allowed = most * MIB - _sum(kept)
    if most := settings.ENVIRONMENT.artifacts_mib:
        allowed = min(allowed, most * MIB - _everything())
    return max(0, allowed + replaced)


def _everything() -> int:
    """Of all processes, added up at most twice a minute: close enough for a limit that guards a
    disk, which says itself when it is full.
    """
    global _total
    with _reading:
        at, total = _total
        if time.monotonic() - at >= SECONDS:
            total = _sum(Artifact.objects.all())
            _total = (time.monotonic(), total)
        return total


def _sum(rows: ArtifactQuery) -> int:
    total = rows.aggregate(total=Sum("size"))["total"]
    return int(total or 0)
