"""What stays of an archived process: the end of its chain, and where its passport is."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from processes.journal import limits


class Archived(models.Model):
    """A stub. Its id stays taken, `revision` and `chain` are those of the last event, `sha256`
    is of the passport's bytes.
    """

    process_id = models.CharField(primary_key=True, max_length=limits.ID_CHARS)
    agent = models.CharField(max_length=limits.AGENT_CHARS)
    objective = models.TextField()
    state = models.CharField(max_length=16)
    revision = models.BigIntegerField()
    chain = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    settled_at_ms = models.BigIntegerField()
    at_ms = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("process_id"), name="archived_id_ignoring_case"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-at_ms", "-process_id"], name="archived_newest"),
        ]

    def __str__(self) -> str:
        return self.process_id

    @property
    def passport(self) -> str:
        """The file's name in the archive folder."""
        return f"{self.process_id}.html"
