"""A recorded tool step: a mirror of ProcessStep, and how it came."""

from __future__ import annotations

import json
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.journal.canonical import step_key
from processes.models.constraints import at_most, one_of
from processes.models.process import Process


class StepQuery(models.QuerySet["Step"]):
    """Queries with names."""

    def of(self, process_id: str) -> Self:
        return self.filter(process_id=process_id)

    def after(self, seq: int) -> Self:
        return self.filter(seq__gt=seq).order_by("seq")

    def newest_first(self) -> Self:
        return self.order_by("-seq")


class Step(models.Model):
    """`seq` counts from 1 within its process; at most one success per key (S0:29)."""

    process = models.ForeignKey(Process, models.CASCADE, related_name="+", db_index=False)
    seq = models.PositiveIntegerField()
    tool = models.CharField(max_length=limits.NAME_CHARS)
    args = models.TextField()  # byte for byte: never a JSON column (architecture §3.7)
    success = models.BooleanField()
    result_digest = models.TextField()
    artifacts_json = models.TextField(default="[]")
    idempotency_key = models.CharField(max_length=64)

    attempt_id = models.CharField(max_length=limits.KEY_CHARS, null=True)
    effect = models.CharField(max_length=16, default="at_least_once")
    digest_clipped = models.BooleanField(default=False)
    artifacts_dropped = models.PositiveIntegerField(default=0)
    lease_epoch = models.BigIntegerField(default=0)
    at_ms = models.BigIntegerField()
    skips = models.PositiveIntegerField(default=0)  # replays seen and skipped, best effort

    objects = StepQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["process", "seq"], name="step_seq"),
            models.UniqueConstraint(
                fields=["process", "idempotency_key"],
                condition=Q(success=True),
                name="step_success_once",
            ),
            models.UniqueConstraint(
                fields=["process", "attempt_id"],
                condition=Q(attempt_id__isnull=False),
                name="step_attempt_once",
            ),
            one_of("effect", ("at_most_once", "at_least_once", "idempotent"), "step_effect"),
            at_most("tool", limits.NAME_CHARS, "step_tool_length"),
            at_most("result_digest", limits.DIGEST_CHARS, "step_digest_length"),
            models.CheckConstraint(condition=Q(seq__gt=0), name="step_seq_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.seq} {self.tool}"

    @property
    def artifacts(self) -> tuple[str, ...]:
        return tuple(json.loads(self.artifacts_json))

    @property
    def key_holds(self) -> bool:
        """The key recomputed from what is stored: True unless a row was tampered with."""
        return step_key(self.tool, self.args) == self.idempotency_key
