"""`manage.py serve`: see that the port is free, prepare the data, and become the server."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import connection

from dalhc.server import ENVIRONMENT, server_command


class Command(BaseCommand):
    requires_system_checks = ()  # they import every address; the server and make test do that
    help = (
        "Serve dalhc on $DALHC_BIND:$PORT (127.0.0.1:8000), with its data under $DALHC_HOME "
        "(.dalhc) or in the PostgreSQL of $DATABASE_URL."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = settings.ENVIRONMENT.bind, settings.ENVIRONMENT.port
        _require_free(host, port)
        call_command("prepare", stdout=self.stdout)
        connection.close()
        _become_server(host, port)


def _require_free(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            raise CommandError(
                f"Port {port} is in use; set PORT to another one, as in PORT=8001 make run."
            ) from None


def _become_server(host: str, port: int) -> None:
    """Replace this process: the one that stays holds no Django, and
    signals reach it directly.
    """
    os.environ.update(
        {name: os.environ.get(name, value) for name, value in ENVIRONMENT.items()}
    )
    os.execv(sys.executable, server_command(port, host=host))
