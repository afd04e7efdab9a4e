"""What someone has typed and not sent yet. It outlives a reload, a login and a restart."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from processes.models.suspension import Suspension


class Draft(models.Model):
    """One per person and kind of decision. `content` is the form's fields as JSON, each a list
    of texts; `typed_at_ms` is the writer's own clock, by which the last keystroke wins.
    """

    suspension = models.ForeignKey(Suspension, models.CASCADE, related_name="+", db_index=False)
    by = models.CharField(max_length=200)
    action = models.CharField(max_length=8)
    content = models.TextField()
    typed_at_ms = models.BigIntegerField()
    saved_at_ms = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["suspension", "by", "action"], name="draft_of_person_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.suspension_id} {self.by}"
