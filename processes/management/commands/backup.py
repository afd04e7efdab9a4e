"""`manage.py backup FILE`: the running server's data in one tar, verified before it gets its
name.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import BaseCommand
from django.db import connection

from dalhc.db.sqlite.library import sqlite
from processes.management import archive
from processes.services.broken import Broken

ON_POSTGRES = (
    "The data is on PostgreSQL, which has its own tools. Dump the database first "
    '(pg_dump --format=custom --file=dalhc.dump "$DATABASE_URL"), then copy artifacts, '
    "secret.key and archive from $DALHC_HOME, both under the lock of artifacts/.backup: no "
    "bytes are removed meanwhile, so the later copy has them all. docs/operating.md shows how."
)


class Command(BaseCommand):
    help = (
        "Write a verified copy of all data to FILE (a tar) while the server runs. "
        "To restore, unpack it into an empty $DALHC_HOME."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"].expanduser().absolute()
        if target.exists():
            raise CommandError(f"{target.name} exists already; a backup never overwrites.")
        if connection.vendor == "postgresql":
            raise CommandError(ON_POSTGRES)
        database = Path(str(settings.DATABASES["default"]["NAME"]))
        if not database.exists():
            raise CommandError("There is no database yet; start the server once first.")
        try:
            found = archive.write(Path(settings.DATA_DIR), database, target)
        except (sqlite.Error, OSError, Broken) as error:
            raise CommandError(f"No backup was made: {error}.") from error
        self.stdout.write(
            f"{target.name}: {found.processes} processes and {found.artifacts} artifacts; "
            "integrity, every chain of events and every artifact verified."
        )
