"""`manage.py migrate`, with a migration and the note that it was applied in one transaction.

Django commits the tables first and the note after them; whoever was ended in between could
neither go on, for the tables are there, nor be served.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import transaction
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState


class Executor(MigrationExecutor):
    """Each migration whole: applied and noted, or neither."""

    def apply_migration(
        self, state: ProjectState, migration: Migration, *args: Any, **how: Any
    ) -> ProjectState:
        # SQLite turns the checks off only outside a transaction; they are made at its end.
        with self.connection.constraint_checks_disabled(), transaction.atomic():
            return super().apply_migration(state, migration, *args, **how)

    def unapply_migration(
        self, state: ProjectState, migration: Migration, *args: Any, **how: Any
    ) -> ProjectState:
        with self.connection.constraint_checks_disabled(), transaction.atomic():
            return super().unapply_migration(state, migration, *args, **how)


class Command(migrate.Command):
    """Django's, with our executor: it asks its own module for one."""


migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]
