"""Files that agents left, handed out so that no browser runs or guesses at them (T15)."""

from __future__ import annotations

from typing import BinaryIO
from urllib.parse import quote

from django.http import FileResponse


def attachment(file: BinaryIO, path: str, size: int, sha256: str) -> FileResponse:
    """Never inline, never sniffed, without a script's rights; the
    name is data, not a header.
    """
    name = quote(path.rsplit("/", 1)[-1], safe="")
    response = FileResponse(file, content_type="application/octet-stream")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    response["Content-Length"] = str(size)
    response["Content-Security-Policy"] = "sandbox; default-src 'none'; frame-ancestors 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store, private"
    response["ETag"] = f'"{sha256}"'
    return response
