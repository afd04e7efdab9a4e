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

    def apart_from_steps(self) -> Self:
        """Spelled as the partial indexes are."""
        return self.exclude(kind="step")

    def newest_first(self) -> Self:
        return self.order_by("-at_ms", "-id")

    def older_than(self, at_ms: int, id: int) -> Self:
        """After that place in a list that has the newest first."""
        return self.filter(Q(at_ms__lt=at_ms) | Q(at_ms=at_ms, id__lt=id), at_ms__lte=at_ms)

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
        # Steps are most of the log and have their own table: they pay for no index here.
        indexes: ClassVar = [
            models.Index(
                fields=["-at_ms", "-id"], condition=~Q(kind="step"), name="event_newest"
            ),
            models.Index(
                fields=["kind", "-at_ms", "-id"],
                condition=~Q(kind="step"),
                name="event_of_kind",
            ),
            models.Index(
                fields=["actor", "-at_ms", "-id"],
                condition=~Q(kind="step"),
                name="event_of_actor",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.seq} {self.kind}"
