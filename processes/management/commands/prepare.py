"""`manage.py prepare`: migrate, set up the demo once, and say what to know."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from dalhc.db.refusals import refusal
from processes.management.alone import alone
from processes.management.demo import setting


class Command(BaseCommand):
    requires_system_checks = ()  # they import every address; the server and make test do that
    help = "Bring the database up to date and, unless DALHC_DEMO=0, fill a new one with a demo."

    def handle(self, *args: Any, **options: Any) -> None:
        url = f"http://127.0.0.1:{settings.ENVIRONMENT.port}"
        try:
            with alone(settings.DATA_DIR):
                _migrate()
                demo = _demo(url)
            self._greet(url, demo)
        except DatabaseError as error:
            raise CommandError(_sentence(error)) from error

    def _greet(self, url: str, demo: setting.Demo | None) -> None:
        lines = [f"dalhc serves {url} (data in {settings.ENVIRONMENT.home})"]
        if demo is not None:
            lines += [f"  log in as {name:<10} {word}" for name, word in demo.logins.items()]
            lines += [
                f"  runtime key          {demo.runtime_key}",
                f"  principal key        {demo.principal_key}",
            ]
        elif setting.is_empty():
            lines.append("  Nobody can log in yet. Make the first admin, in another terminal:")
            lines.append("  .venv/bin/python manage.py admin NAME")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _demo(url: str) -> setting.Demo | None:
    """The demo as it was made, or made now if nobody has used this data folder."""
    if not settings.ENVIRONMENT.demo:
        return None
    return setting.make(url) if setting.is_empty() else setting.load(url)


def _migrate() -> None:
    executor = MigrationExecutor(connection)
    known = set(executor.loader.disk_migrations)
    newer = sorted(
        f"{app}.{name}" for app, name in set(executor.loader.applied_migrations) - known
    )
    if newer:
        raise CommandError(
            f"The data was written by a newer dalhc ({newer[0]}); this one does not open it."
        )
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0, database=DEFAULT_DB_ALIAS)


def _sentence(error: DatabaseError) -> str:
    problem = refusal(error)
    if problem is not None and problem.code == "busy":
        return "The database is locked by another process; end that one, then start again."
    return f"The database cannot be used: {error}."
