"""One of the approvals that a suspension needs two of."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.models.constraints import at_most, one_of
from processes.models.suspension import Suspension


class Vote(models.Model):
    """Kept when it is replaced or taken back: one live vote per person and suspension."""

    id = models.CharField(primary_key=True, max_length=48)
    suspension = models.ForeignKey(Suspension, models.CASCADE, related_name="votes")
    action = models.CharField(max_length=8)
    answer = models.TextField(null=True)
    args = models.TextField(null=True)
    note = models.TextField(null=True)
    review_digest = models.CharField(max_length=64)
    by = models.CharField(max_length=200)
    at_ms = models.BigIntegerField()
    live = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar = [
            one_of("action", ("approve", "edit", "answer"), "vote_action"),
            at_most("answer", limits.TEXT_CHARS, "vote_answer_length"),
            at_most("note", limits.NOTE_CHARS, "vote_note_length"),
            models.UniqueConstraint(
                fields=["suspension", "by"], condition=Q(live=True), name="vote_live_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.suspension_id} {self.by}"
