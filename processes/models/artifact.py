"""Bytes a process left behind, kept by their hash; a path names the newest of them."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from processes.journal import limits
from processes.models.process import Process

EXTENSION_CHARS = 12


def extension_of(path: str) -> str:
    """`txt` of `notes/a.TXT`, lower case; empty when there is none."""
    name, _, end = path.rpartition("/")[2].rpartition(".")
    is_one = name.lstrip(".") and end.isascii() and end.isalnum()
    return end.lower() if is_one and len(end) <= EXTENSION_CHARS else ""


class ArtifactQuery(models.QuerySet["Artifact"]):
    """Queries with names."""

    def newest_first(self) -> Self:
        return self.order_by("-at_ms", "-id")

    def older_than(self, at_ms: int, id: int) -> Self:
        """After that place in a list that has the newest first."""
        return self.filter(Q(at_ms__lt=at_ms) | Q(at_ms=at_ms, id__lt=id), at_ms__lte=at_ms)


class Artifact(models.Model):
    """`path` is the agent's name for it; the file on disk is named by `sha256`."""

    process = models.ForeignKey(Process, models.CASCADE, related_name="+", db_index=False)
    path = models.CharField(max_length=limits.ARTIFACT_PATH_CHARS)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    at_ms = models.BigIntegerField()
    after_step = models.PositiveIntegerField(default=0)  # its place among the steps
    # Of the path, for the index of all artifacts.
    extension = models.CharField(max_length=EXTENSION_CHARS, default="")

    objects = ArtifactQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["process", "path"], name="artifact_path_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-at_ms", "-id"], name="artifact_newest"),
            models.Index(fields=["extension", "-at_ms", "-id"], name="artifact_of_type"),
            models.Index(fields=["sha256"], name="artifact_of_hash"),
        ]

    def __str__(self) -> str:
        return f"{self.process_id} {self.path}"
