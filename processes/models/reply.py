"""A reply kept under its Idempotency-Key, written in the transaction it answers for."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class IdempotentReply(models.Model):
    """`scope` is the key's owner, the route and the header's value."""

    scope = models.CharField(primary_key=True, max_length=64)  # sha256
    body_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers = models.TextField()
    body = models.TextField()
    at_ms = models.BigIntegerField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["at_ms"], name="reply_at")]

    def __str__(self) -> str:
        return self.scope
