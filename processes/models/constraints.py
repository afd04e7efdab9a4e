"""Backstops of the database: what the code refuses, the table
refuses too (architecture §3.5).
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import CheckConstraint, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual


def one_of(
    field: str, values: Iterable[str], name: str, *, null: bool = False
) -> CheckConstraint:
    """`field` holds one of `values`; plain text, so that a migration imports no living enum."""
    allowed = Q(**{f"{field}__in": [str(value) for value in values]})
    return CheckConstraint(
        condition=allowed | Q(**{f"{field}__isnull": True}) if null else allowed, name=name
    )


def at_most(field: str, characters: int, name: str) -> CheckConstraint:
    """SQLite ignores varchar(n); this does not. A null passes."""
    return CheckConstraint(condition=LessThanOrEqual(Length(field), characters), name=name)
