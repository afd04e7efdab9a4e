"""`manage.py import FILE --agent NAME`: take in a journal file, or the one of a passport."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.problems import Problem
from processes import services
from processes.management.auditing import is_passport
from processes.services import Actor
from processes.services.broken import Broken
from processes.services.passport_file import journal_of


class Command(BaseCommand):
    help = "Take in FILE, a journal or a passport, as a process of the agent NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--agent", required=True, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        path, agent = options["file"], options["agent"]
        by = Actor("system", "import", agent=agent, scopes=frozenset({"journal", "read"}))
        try:
            text = journal_of(path) if is_passport(path) else path.read_bytes()
            done = services.import_record(text, by=by)
        except (Problem, Broken, OSError) as error:
            raise CommandError(f"{path.name} was not taken in: {error}") from None
        said = "taken in" if done.created else "here already"
        self.stdout.write(f"{done.process_id}: {said}.")
