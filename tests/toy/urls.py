"""Views that show what reached them."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.urls import re_path

from dalhc import bell
from dalhc.db import writer

closed: list[str] = []


def echo(request: HttpRequest) -> JsonResponse:
    """The request as Django sees it."""
    body = request.read()
    seen = {key: value for key, value in request.META.items() if isinstance(value, str)}
    return JsonResponse(
        {
            "method": request.method,
            "path": request.path,
            "query": request.META["QUERY_STRING"],
            "meta": seen,
            "size": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "input": type(request.META["wsgi.input"]).__name__,
        }
    )


def form(request: HttpRequest) -> JsonResponse:
    return JsonResponse(request.POST.dict())


def count(request: HttpRequest) -> JsonResponse:
    """Add one row through the writer and say how many there are."""

    def add() -> int:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY)")
            cursor.execute("INSERT INTO row DEFAULT VALUES")
            cursor.execute("SELECT count(*) FROM row")
            rows: int = cursor.fetchone()[0]
            return rows

    return JsonResponse({"rows": writer.write(add)})


def big(request: HttpRequest) -> HttpResponseBase:
    path = Path(settings.DATABASES["default"]["NAME"]).parent / "big.bin"
    if not path.exists():
        path.write_bytes(bytes(range(256)) * 4096 * 24)
    return FileResponse(path.open("rb"), as_attachment=True, filename="big.bin")


def slow(request: HttpRequest) -> HttpResponse:
    time.sleep(float(request.GET.get("s", "1")))
    return HttpResponse("done")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    """Endless, until somebody closes it; `broken` fails after three chunks."""
    return StreamingHttpResponse(_chunks("broken" in request.GET), content_type="text/plain")


def _chunks(broken: bool) -> Iterator[bytes]:
    try:
        for number in range(1_000_000):
            if broken and number == 3:
                raise RuntimeError("the source broke")
            yield b"%08d" % number * 1024
    finally:
        closed.append("stream")


def state(request: HttpRequest) -> JsonResponse:
    names = sorted(thread.name for thread in threading.enumerate())
    return JsonResponse({"closed": closed, "waiters": bell.waiters(), "threads": names})


def ring(request: HttpRequest, topic: str) -> HttpResponse:
    writer.write(lambda: writer.after_commit(lambda: bell.ring(topic)))
    return HttpResponse("rung")


def boom(request: HttpRequest) -> HttpResponse:
    raise SystemExit("a view tries to end its thread")


urlpatterns = [
    re_path(r"^form$", form),
    re_path(r"^count$", count),
    re_path(r"^big$", big),
    re_path(r"slow$", slow),
    re_path(r"^stream$", stream),
    re_path(r"^state$", state),
    re_path(r"^boom$", boom),
    re_path(r"^ring/(\w+)$", ring),
    re_path(r"", echo),
]
