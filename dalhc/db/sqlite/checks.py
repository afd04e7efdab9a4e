"""The system check that says when the SQLite in use can lose rows."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register

from dalhc.db.sqlite import library


@register(Tags.compatibility)
def library_is_safe(**_: Any) -> list[CheckMessage]:
    """Warn when the WAL-reset bug is in the library: then one process at most may write."""
    report = library.report()
    if report["safe"]:
        return []
    return [
        Warning(
            f"SQLite {report['version']} ({report['module']}) can lose rows"
            " when two connections write at once.",
            hint="Install pysqlite3, or stop the server before any command that writes.",
            id="dalhc.W001",
        )
    ]
