"""The server's state for admins, and every component on one page."""

from __future__ import annotations

import tomllib
from functools import cache

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.views.decorators.http import require_safe

from dalhc.http import health
from dalhc.http.pages import HtmxRequest
from processes.bridge import watching
from processes.models import Process, RuntimeKey, Suspension
from processes.shown import patterns as examples
from processes.shown.journals import journals
from processes.shown.waiting import MOST, bounded
from processes.views.rights import admins_only

BYTES = 1024 * 1024  # a figure above it is a number of bytes


@require_safe
@admins_only
def status(request: HtmxRequest) -> HttpResponse:
    """Version, database, data folder, counts, waiting runtimes, refused files."""
    counted = {
        "Waiting on someone": Suspension.objects.open(),
        "Running": Process.objects.running(),
        "Answered, not picked up": Process.objects.decided_not_picked_up(),
        "Not started": Process.objects.not_started(),
        "Settled": Process.objects.settled(),
        "Keys": RuntimeKey.objects.filter(revoked_at_ms=None),
    }
    counts = [
        (name, bounded(rows.order_by().values("pk")[: MOST + 1].count()))
        for name, rows in counted.items()
    ]
    report = health.report()
    context = {
        "version": _version(),
        "checks": list(report.pop("ready").items()),
        "report": [(name, _said(value)) for name, value in report.items()],
        "counts": counts,
        "journals": journals(watching.SERVER.watch),
    }
    return render(request, "processes/status.html", context)


@require_safe
def patterns(request: HtmxRequest) -> HttpResponse:
    """Made of examples; nothing here is read from the database or can be sent."""
    return render(request, "patterns.html", examples.context())


def _said(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if value > BYTES:
            return filesizeformat(value)
        case _:
            return str(value)


@cache
def _version() -> str:
    """As pyproject.toml has it, the one place."""
    text = (settings.BASE_DIR / "pyproject.toml").read_text()
    return str(tomllib.loads(text)["project"]["version"])
