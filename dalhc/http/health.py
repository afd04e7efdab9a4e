"""Is it up, is it ready, and what the status page tells."""

from __future__ import annotations

import os
import shutil
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from dalhc import bell
from dalhc.db import writer
from dalhc.db.sqlite import library

LOW_DISK = 64 * 1024 * 1024


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers, its schema is ours, its library is safe, the disk has room."""
    checks = ready()
    status = 200 if all(check == "ok" for check in checks.values()) else 503
    return JsonResponse(
        {"status": "ok" if status == 200 else "not ready", **checks}, status=status
    )


def ready() -> dict[str, str]:
    """Each check's name, and `ok` or what is wrong."""
    return {
        "database": _database(),
        "writer": writer.trouble() or "ok",
        "sqlite": _library(),
        "disk": _disk(),
    }


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        behind = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return f"{type(error).__name__}"
    return "the schema is behind; run manage.py migrate" if behind else "ok"


def _library() -> str:
    if connection.vendor != "sqlite":
        return "ok"
    found = library.report()
    return (
        "ok"
        if found["safe"]
        else f"SQLite {found['version']} can lose rows with several processes"
    )


def _disk() -> str:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return "ok" if free > LOW_DISK else f"only {free // 1024} KiB are free"


def report() -> dict[str, Any]:
    """What an admin wants to see at a glance."""
    found = library.report()
    return {
        "ready": ready(),
        "database": connection.vendor,
        "sqlite": f"{found['version']} ({found['module']})",
        "data folder": str(settings.ENVIRONMENT.home),
        "free disk": shutil.disk_usage(settings.DATA_DIR).free,
        "waiting runtimes": bell.waiters(),
        "durable": settings.ENVIRONMENT.is_durable,
        "held reasons": ", ".join(settings.ENVIRONMENT.held_reasons),
        "server process": os.getpid(),
    }
