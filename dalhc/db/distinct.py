"""The different values of an indexed column, one look-up each: never a walk over the rows."""

from __future__ import annotations

from typing import Any

from django.db.models import Max, Min, QuerySet


def descending(rows: QuerySet[Any], column: str, below: str | None, most: int) -> list[str]:
    """At most `most` values, the largest first, beginning under `below`. Nulls are none."""
    found: list[str] = []
    rows = rows.order_by().filter(**{f"{column}__isnull": False})
    while len(found) < most:
        part = rows if below is None else rows.filter(**{f"{column}__lt": below})
        below = part.aggregate(largest=Max(column))["largest"]
        if below is None:
            break
        found.append(below)
    return found


def ascending(rows: QuerySet[Any], column: str, most: int) -> list[str]:
    """At most `most` values, the smallest first. Nulls are none."""
    found: list[str] = []
    rows = rows.order_by().filter(**{f"{column}__isnull": False})
    while len(found) < most:
        part = rows.filter(**{f"{column}__gt": found[-1]}) if found else rows
        least = part.aggregate(least=Min(column))["least"]
        if least is None:
            break
        found.append(least)
    return found
