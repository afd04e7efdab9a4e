"""Failed logins, counted for a while against guessing."""

from __future__ import annotations

from django.db import models


class Guess(models.Model):
    """`bucket` is a hash of whose name, or of the name and the address: what someone typed into
    the wrong field is not kept.
    """

    bucket = models.CharField(primary_key=True, max_length=64)
    failures = models.PositiveIntegerField()
    since_ms = models.BigIntegerField(db_index=True)

    def __str__(self) -> str:
        return f"{self.bucket[:8]} {self.failures}"
