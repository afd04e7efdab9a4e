"""Bytes a process left behind, kept by their hash; a path names the newest of them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from processes.journal import limits
from processes.models.process import Process


class Artifact(models.Model):
    """`path` is the agent's name for it; the file on disk is named by `sha256`."""

    process = models.ForeignKey(Process, models.CASCADE, related_name="+", db_index=False)
    path = models.CharField(max_length=limits.ARTIFACT_PATH_CHARS)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    at_ms = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["process", "path"], name="artifact_path_once"),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.path}"
