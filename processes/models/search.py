"""How far the search index has come. The index itself is a table of the database's own kind."""

from __future__ import annotations

from django.db import models


class SearchMark(models.Model):
    """The last row of a source that is in the index."""

    source = models.CharField(primary_key=True, max_length=16)
    place = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.source} {self.place}"
