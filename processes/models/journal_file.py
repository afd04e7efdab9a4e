"""A file in a watched folder: which process it holds, or why it is refused."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from processes.journal import limits


class JournalFileQuery(models.QuerySet["JournalFile"]):
    """Queries with names."""

    def refused(self) -> Self:
        return self.exclude(code="").order_by("id")

    def under(self, folder: str) -> Self:
        """The files of one folder; a range, so that the key's index serves it."""
        return self.filter(id__gt=f"{folder}/", id__lt=f"{folder}0")  # "0" comes after "/"

    def of(self, process_id: str) -> Self:
        return self.filter(process_id=process_id)


class JournalFile(models.Model):
    """`id` is the path, written so that any database and any page can hold it. `sha256` is of
    the bytes the process was mirrored from, `stamp` of whatever stands there.
    """

    id = models.TextField(primary_key=True)
    process_id = models.CharField(max_length=limits.ID_CHARS, null=True)
    sha256 = models.CharField(max_length=64, default="")
    stamp = models.CharField(max_length=120, default="")
    code = models.CharField(max_length=40, default="")  # of the problem, if there is one
    detail = models.TextField(default="")
    at_ms = models.BigIntegerField()

    objects = JournalFileQuery.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["process_id"],
                condition=Q(process_id__isnull=False),
                name="journal_file_process_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["id"], condition=~Q(code=""), name="journal_file_refused"),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def name(self) -> str:
        return PurePath(self.id).name

    @property
    def folder(self) -> str:
        return str(PurePath(self.id).parent)
