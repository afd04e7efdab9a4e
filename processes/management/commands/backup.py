"""`manage.py backup FILE`: a copy of the running database, verified before it gets its name."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.db.sqlite.library import sqlite
from processes.services.verifying import Broken, verify_chains


class Command(BaseCommand):
    help = "Write a verified copy of the database to FILE while the server runs. FILE must not exist."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"].expanduser().absolute()
        if target.exists():
            raise CommandError(f"{target.name} exists; a backup never overwrites.")
        part = target.with_name(f"{target.name}.part")
        part.unlink(missing_ok=True)
        try:
            _copy(part)
            count = _verified(part)
            _publish(part, target)
        except (sqlite.Error, OSError, Broken) as error:
            part.unlink(missing_ok=True)
            raise CommandError(f"No backup was made: {error}") from error
        self.stdout.write(f"{target.name}: {count} processes, integrity and every chain of events verified.")


def _copy(part: Path) -> None:
    """SQLite's online backup: a consistent moment, while others write."""
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    source = sqlite.connect(settings.DATABASES["default"]["NAME"])
    copy = sqlite.connect(part)
    try:
        source.backup(copy, pages=2_000)
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        copy.close()
        source.close()


def _verified(part: Path) -> int:
    copy = sqlite.connect(f"{part.as_uri()}?mode=ro", uri=True)
    try:
        found = [row[0] for row in copy.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            raise Broken(f"the copy fails SQLite's integrity check: {found[0]}")
        if copy.execute("PRAGMA foreign_key_check").fetchone():
            raise Broken("the copy has rows without their process")
        return verify_chains(copy.execute)
    finally:
        copy.close()


def _publish(part: Path, target: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.rename(target)
    handle = os.open(target.parent, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
