"""Long answers, made while they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.http import StreamingHttpResponse

CHUNK = 64 * 1024  # characters: each chunk is a turn of a thread, so not a line at a time


def chunks(pieces: Iterable[str], size: int = CHUNK) -> Iterator[bytes]:
    """The same text in UTF-8, in chunks of about `size`."""
    held: list[str] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            yield "".join(held).encode()
            held, length = [], 0
    if held:
        yield "".join(held).encode()


def download(pieces: Iterable[str], content_type: str, name: str) -> StreamingHttpResponse:
    """A file that a browser saves. `name` is one of ours: letters, digits, dots, dashes."""
    response = StreamingHttpResponse(chunks(pieces), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store, private"
    return response
