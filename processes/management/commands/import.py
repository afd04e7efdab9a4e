"""`manage.py import FILE --agent NAME`: take in a journal file, or the one of a passport."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.problems import Problem
from processes import services
from processes.journal.folder import Folder
from processes.management.auditing import is_passport
from processes.services import Actor, mirror
from processes.services.broken import Broken
from processes.services.passport_file import journal_of
from processes.shown.inert import plain


class Command(BaseCommand):
    help = "Take in FILE, a journal or a passport, as a process of the agent NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--agent", required=True, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        path, agent = options["file"], options["agent"]
        by = Actor("system", "import", agent=agent, scopes=frozenset({"journal", "read"}))
        try:
            done = services.import_record(_journal(path), by=by)
        except (Problem, Broken, OSError) as error:
            raise CommandError(plain(f"{path.name} was not taken in: {error}")) from None
        said = "taken in" if done.created else "here already"
        self.stdout.write(f"{done.process_id}: {said}.")


def _journal(path: Path) -> bytes:
    """Of a passport, or of the file itself: read as every journal is, and no more than that."""
    if path.is_file() and is_passport(path):
        return journal_of(path)
    return mirror.look(Folder(path.parent), path.name).text
