"""What waits, counted for the metrics: one short read of the open suspensions, at most every
few seconds however often it is asked.
"""

from __future__ import annotations

import time
from threading import Lock

from django.db.models import Count, Min

from dalhc import metrics
from dalhc.clock import now_ms
from processes.journal.record import INBOX_REASONS
from processes.models import Suspension

SECONDS = 5.0
_reading = Lock()
_read_at = -SECONDS


def refresh() -> None:
    """Set the gauges, unless that was done moments ago."""
    global _read_at
    with _reading:
        if time.monotonic() - _read_at < SECONDS:
            return
        _set()
        _read_at = time.monotonic()


def _set() -> None:
    rows = Suspension.objects.open().order_by().values_list("reason")
    counted = {
        reason: (count, oldest)
        for reason, count, oldest in rows.annotate(
            count=Count("pk"), oldest=Min("opened_at_ms")
        )
    }
    for reason in INBOX_REASONS:
        metrics.WAITING.labels(str(reason)).set(counted.get(str(reason), (0, 0))[0])
    oldest = min((at for _, at in counted.values()), default=None)
    metrics.OLDEST.set(0 if oldest is None else max(0, now_ms() - oldest) / 1000)
