"""`manage.py descriptors rebuild | check`: from the log, and against it (contract D12)."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from descriptors import services


class Command(BaseCommand):
    help = "Make every descriptor again from the log, or prove that none stands ahead of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["rebuild", "check"])

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "rebuild":
            made = services.rebuild()
            self.stdout.write(f"{made} sleeping agents made again from the log.")
            return
        faults = services.check()
        for fault in faults:
            self.stderr.write(f"{fault.session_id} {fault.what}")
        if faults:
            raise CommandError(f"{len(faults)} faults; `descriptors rebuild` mends them.")
        self.stdout.write("Every descriptor is what its log says, and none stands ahead of it.")
