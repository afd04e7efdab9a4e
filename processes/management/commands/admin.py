"""`manage.py admin NAME`: the first person, who can then add the others in the browser."""

from __future__ import annotations

from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand

from dalhc.problems import Problem
from processes import services
from processes.management.demo.setting import SETUP


class Command(BaseCommand):
    help = "Add an admin, who issues keys and adds people."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        password = getpass("Password (at least 10 characters): ")
        try:
            services.add_person(options["name"], "admin", password, by=SETUP)
        except Problem as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{options['name']} can log in and manage keys and people.")
