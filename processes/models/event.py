"""The log: append-only, contiguous, chained by hash, one event
per write (architecture §3.4).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q

from processes.models.process import Process


class EventQuery(models.QuerySet["Event"]):
    """Events are read and added. No one changes or removes one."""

    def of(self, process_id: str) -> Self:
        return self.filter(process_id=process_id)

    def update(self, **_: Any) -> int:
        raise TypeError("An event is never changed.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("An event is never removed.")


class Event(models.Model):
    """`seq` counts from 0 within its process; `data` is canonical JSON."""

    process = models.ForeignKey(Process, models.PROTECT, related_name="+", db_index=False)
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=24)
    actor = models.CharField(max_length=200)
    at_ms = models.BigIntegerField()
    data = models.TextField()
    prev_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = EventQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["process", "seq"], name="event_seq"),
            models.CheckConstraint(condition=Q(seq__gte=0), name="event_seq_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.seq} {self.kind}"
