"""`manage.py move`: from SQLite to PostgreSQL, all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection

from dalhc.db.sqlite.library import sqlite
from processes.management.alone import alone
from processes.management.moving import NotMoved, move
from processes.services.broken import Broken


class Command(BaseCommand):
    help = (
        "Move everything from the SQLite file in $DALHC_HOME to the empty PostgreSQL database "
        "of $DATABASE_URL. Stop the server first. The file stays as it is."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        source = Path(str(settings.SQLITE["NAME"]))
        if connection.vendor != "postgresql":
            raise CommandError("Say where to: DATABASE_URL=postgres://… manage.py move.")
        if not source.exists():
            raise CommandError(f"There is no {source.name} in {settings.ENVIRONMENT.home}.")
        try:
            with alone(settings.DATA_DIR):
                call_command("migrate", interactive=False, verbosity=0)
                found = move(source)
        except (NotMoved, Broken, DatabaseError, sqlite.Error, OSError) as error:
            raise CommandError(f"Nothing was moved: {' '.join(str(error).split())}.") from error
        self.stdout.write(
            f"{found.rows} rows of {found.processes} processes moved; every table has as many "
            "rows as before, every reference its row, and every chain of events was verified. "
            f"Artifacts stay where they are; {source.name} was not changed."
        )
