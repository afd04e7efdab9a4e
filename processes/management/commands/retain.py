"""`manage.py retain --older-than 90d`: archive what settled long ago, or say what would be."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc import folders
from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes.management.archiving import archive_folder, due, move_artifacts, retire
from processes.models import Archived
from processes.services.broken import Broken
from processes.shown.times import DAY, full

SHOWN = 20


class Command(BaseCommand):
    help = (
        "Archive processes that settled long ago: each becomes a passport in "
        "$DALHC_HOME/archive and leaves a stub that audit verify still checks. Without --yes "
        "it only says what it would do."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than", required=True, type=_days, help="as in 90d", metavar="DAYS"
        )
        parser.add_argument("--yes", action="store_true", help="do it")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = archive_folder()
        before = now_ms() - options["older_than"] * DAY
        if options["yes"]:
            self._do(before, folder)
        else:
            self._say(before, folder)

    def _say(self, before: int, folder: Path) -> None:
        count = 0
        for process in due(before):
            count += 1
            if count <= SHOWN:
                self.stdout.write(
                    f"{process.id}, {process.state} {full(process.updated_at_ms)}"
                )
        if count > SHOWN:
            self.stdout.write(f"and {count - SHOWN} more")
        self.stdout.write(
            f"{count} processes settled before {full(before)}. With --yes they go to {folder}."
        )

    def _do(self, before: int, folder: Path) -> None:
        folders.make(folder)
        _finish(folder)
        count, kept = 0, 0
        for process in due(before):
            try:
                path = retire(process.id, folder)
            except Problem as problem:
                self.stderr.write(f"{process.id} stays: {problem}")
                kept += 1
            except (Broken, OSError) as error:
                raise CommandError(f"{process.id} stays: {error}") from error
            else:
                self.stdout.write(f"{process.id} → {path.name}")
                count += 1
        self.stdout.write(f"{count} archived in {folder}, {kept} stay.")


def _finish(folder: Path) -> None:
    """A run that was killed between the two may have left artifacts behind."""
    for process_id in Archived.objects.values_list("process_id", flat=True):
        move_artifacts(process_id, folder)


def _days(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,5})d", text)
    if found is None:
        raise ArgumentTypeError("say it in days, as in 90d")
    return int(found[1])
