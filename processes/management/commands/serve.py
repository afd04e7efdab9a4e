"""`manage.py serve`: check, migrate, set up the demo once, say where, and become the server."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from dalhc.db.refusals import refusal
from processes.management.demo import setting

HOST = "127.0.0.1"


class Command(BaseCommand):
    help = "Serve dalhc on 127.0.0.1:$PORT (8000), with all its data under $DALHC_HOME (.dalhc)."

    def handle(self, *args: Any, **options: Any) -> None:
        port = settings.ENVIRONMENT.port
        _require_free(port)
        try:
            _migrate()
            demo = self._demo(f"http://{HOST}:{port}")
        except DatabaseError as error:
            raise CommandError(_sentence(error)) from error
        self._greet(port, demo)
        connection.close()
        _become_server(port)

    def _demo(self, url: str) -> setting.Demo | None:
        if not settings.ENVIRONMENT.demo:
            return None
        if found := setting.load(url):
            return found
        return setting.make(url) if setting.is_empty() else None

    def _greet(self, port: int, demo: setting.Demo | None) -> None:
        lines = [f"dalhc serves http://{HOST}:{port} (data in {settings.ENVIRONMENT.home})"]
        if demo is not None:
            lines += [f"  log in as {name:<10} {word}" for name, word in demo.logins.items()]
            lines += [f"  runtime key   {demo.runtime_key}", f"  principal key {demo.principal_key}"]
        elif setting.is_empty():
            lines.append("  Nobody can log in yet. Make the first admin: .venv/bin/python manage.py admin NAME")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise CommandError(f"Port {port} is in use; set PORT to another one, as in PORT=8001 make run.") from None


def _migrate() -> None:
    executor = MigrationExecutor(connection)
    known = set(executor.loader.disk_migrations)
    newer = sorted(f"{app}.{name}" for app, name in set(executor.loader.applied_migrations) - known)
    if newer:
        raise CommandError(f"The data was written by a newer dalhc ({newer[0]}); this one does not open it.")
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0, database=DEFAULT_DB_ALIAS)


def _sentence(error: DatabaseError) -> str:
    problem = refusal(error)
    if problem is not None and problem.code == "busy":
        return "The database is locked by another process; end that one, then start again."
    return f"The database cannot be used: {error}."


def _become_server(port: int) -> None:
    """Replace this process: the one that stays holds no Django, and signals reach it directly."""
    flags = [
        "--interface", "asgi", "--host", HOST, "--port", str(port), "--workers", "1",
        "--backlog", "2048", "--no-ws", "--log-level", "warning", "--workers-kill-timeout", "8",
    ]  # fmt: skip
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    os.execv(sys.executable, [sys.executable, "-m", "granian", *flags, os.environ.get("DALHC_APP", "dalhc.asgi:application")])
