"""Who is told when something needs a person, and each message until it has arrived."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from processes.models.constraints import one_of
from processes.models.suspension import Suspension


class Recipient(models.Model):
    """A webhook (`secret` signs what it gets) or an e-mail address."""

    kind = models.CharField(max_length=8)
    address = models.CharField(max_length=500)
    secret = models.CharField(max_length=100, default="")
    wants = models.CharField(max_length=60)  # words with spaces between
    by = models.CharField(max_length=200)
    created_at_ms = models.BigIntegerField()
    removed_at_ms = models.BigIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [one_of("kind", ("webhook", "email"), "recipient_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Notice(models.Model):
    """One message to one recipient, written in the transaction of what it tells (an outbox)."""

    id = models.CharField(primary_key=True, max_length=48)
    recipient = models.ForeignKey(Recipient, models.CASCADE, related_name="notices")
    suspension = models.ForeignKey(Suspension, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=12)
    body = models.TextField()
    status = models.CharField(max_length=8, default="pending")
    tries = models.PositiveIntegerField(default=0)
    next_at_ms = models.BigIntegerField()
    at_ms = models.BigIntegerField()
    sent_at_ms = models.BigIntegerField(null=True)
    error = models.TextField(default="")

    class Meta:
        constraints: ClassVar = [
            one_of("kind", ("waiting", "expiring", "answered"), "notice_kind"),
            one_of("status", ("pending", "sent", "failed", "dropped"), "notice_status"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["next_at_ms"], condition=Q(status="pending"), name="notice_pending"
            ),
            models.Index(fields=["-at_ms"], name="notice_newest"),
        ]

    def __str__(self) -> str:
        return self.id
