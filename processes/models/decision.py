"""What a person did about a suspension. A host record: it stands outside the journal
(architecture §3.1).
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.models.constraints import at_most, one_of
from processes.models.suspension import Suspension

ACTIONS = ("answer", "decline", "approve", "edit", "deny", "stop")


class Decision(models.Model):
    """One live decision per suspension; a taken-back one stays as history."""

    id = models.CharField(primary_key=True, max_length=48)
    suspension = models.ForeignKey(Suspension, models.CASCADE, related_name="decisions")
    action = models.CharField(max_length=8)
    answer = models.TextField(null=True)
    args = models.TextField(null=True)  # canonical, as edited
    note = models.TextField(null=True)
    review_digest = models.CharField(max_length=64)
    step_key = models.CharField(max_length=64, null=True)  # of the action approved or denied
    by = models.CharField(max_length=200)
    at_ms = models.BigIntegerField()
    live = models.BooleanField(default=True)
    taken_back_at_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [
            one_of("action", ACTIONS, "decision_action"),
            at_most("answer", limits.TEXT_CHARS, "decision_answer_length"),
            at_most("note", limits.NOTE_CHARS, "decision_note_length"),
            models.UniqueConstraint(
                fields=["suspension"], condition=Q(live=True), name="decision_live_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.suspension_id} {self.action}"
