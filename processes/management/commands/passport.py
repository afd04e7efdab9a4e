"""`manage.py passport ID [FILE]`: everything of a process in one page, to keep or hand on."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.http.streams import chunks
from dalhc.problems import Problem
from processes.management.files import whole
from processes.services.passports import snapshot_of
from processes.shown import passport


class Command(BaseCommand):
    help = "Write the passport of a process to FILE (ID.html here)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id")
        parser.add_argument("file", nargs="?", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            snapshot = snapshot_of(options["id"])
        except Problem as problem:
            raise CommandError(str(problem)) from None
        target: Path = options["file"] or Path(f"{snapshot.process.id}.html")
        if target.exists():
            raise CommandError(f"{target.name} exists already; a passport never overwrites.")
        with whole(target.absolute()) as file:
            for part in chunks(passport.page(snapshot)):
                file.write(part)
        self.stdout.write(f"{target}: up to event {snapshot.process.revision}.")
