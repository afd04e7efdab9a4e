"""A turn of the conversation: a mirror of ProcessTurn, and who took it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from processes.journal import limits
from processes.models.constraints import at_most, one_of
from processes.models.process import Process


class Turn(models.Model):
    """`seq` counts from 1 within its process and never restarts, also when the oldest are
    dropped.
    """

    process = models.ForeignKey(Process, models.CASCADE, related_name="+", db_index=False)
    seq = models.PositiveIntegerField()
    role = models.CharField(max_length=16)
    content = models.TextField()

    by = models.CharField(max_length=200, default="")  # who answered (contract N18)
    suspension_id = models.CharField(max_length=48, null=True)
    after_step = models.PositiveIntegerField(default=0)  # its place among the steps
    at_ms = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["process", "seq"], name="turn_seq"),
            one_of("role", ("assistant", "user"), "turn_role"),
            at_most("content", limits.TEXT_CHARS, "turn_content_length"),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.seq} {self.role}"
