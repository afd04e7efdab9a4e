"""`manage.py audit checkpoint [FILE]` and `manage.py audit verify [FILE]`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from dalhc import folders
from dalhc.clock import now_ms
from dalhc.db.snapshot import snapshot
from dalhc.db.sqlite.library import sqlite
from processes.management import auditing
from processes.management.archiving import archive_folder
from processes.management.files import whole
from processes.services import checkpoints, passport_check, verifying
from processes.services.broken import Broken
from processes.shown.times import iso


class Command(BaseCommand):
    help = (
        "checkpoint: write the end of every chain to FILE (a new one in "
        "$DALHC_HOME/checkpoints). verify: check the running database against the last "
        "checkpoint, or FILE offline: a passport, a backup, a copy of a database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        todo = parser.add_subparsers(dest="todo", required=True)
        make = todo.add_parser("checkpoint", help="write the end of every chain to a file")
        make.add_argument("file", nargs="?", type=Path)
        check = todo.add_parser("verify", help="check every chain, or those of a file")
        check.add_argument("file", nargs="?", type=Path)
        check.add_argument("--checkpoint", type=Path, help="instead of the last one made here")
        check.add_argument("--archive", type=Path, help="where passports were moved to")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["todo"] == "checkpoint":
                self._checkpoint(options["file"])
            else:
                self._verify(options["file"], options["checkpoint"], options["archive"])
        except (Broken, OSError, DatabaseError, sqlite.Error) as error:
            raise CommandError(f"It does not hold: {error}.") from error

    def _checkpoint(self, target: Path | None) -> None:
        at = now_ms()
        if target is None:
            folders.make(_folder())
            target = _folder() / f"checkpoint-{at:015d}.jsonl"
        if target.exists():
            raise CommandError(f"{target.name} exists already; a checkpoint never overwrites.")
        with whole(target) as file, snapshot() as execute:
            sealed = checkpoints.write(execute, file, iso(at))
        self.stdout.write(
            f"{target}: the ends of {sealed.processes} chains, seal {sealed.sha256}"
        )
        self.stdout.write("Keep a copy where this server cannot write, or write the seal down.")

    def _verify(self, path: Path | None, named: Path | None, archive: Path | None) -> None:
        made = checkpoints.read(named) if named else auditing.last_checkpoint(_folder())
        ends = made.ends if made else {}
        if path is not None and auditing.kind_of(path) == "passport":
            found = passport_check.check(path, ends)
            self.stdout.write(f"{path.name}: {found.sentence}")
            self._say_checkpoint(made, found.process_id in ends)
            return
        with auditing.opened(path) as execute:
            verified = verifying.verify(execute, ends)
            stubs = auditing.stubs(execute)
        self.stdout.write(
            f"{verified.processes} processes with {verified.events} events hold"
            + (f", and {verified.archived} archived ones" if verified.archived else "")
            + "."
        )
        self._say_checkpoint(made, made is not None)
        if path is None:
            passports = auditing.verify_archive(
                archive or archive_folder(), stubs, set(verified.unproven), ends
            )
            self.stdout.write(f"{passports} passports of archived processes hold.")

    def _say_checkpoint(self, made: checkpoints.Checkpoint | None, counts: bool) -> None:
        if made is None:
            said = "There is no checkpoint: a history rewritten whole would not be seen."
        elif counts:
            said = f"Every chain passes through the checkpoint of {made.at}."
        else:
            said = f"The checkpoint of {made.at} does not know it yet."
        self.stdout.write(said)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "checkpoints"
