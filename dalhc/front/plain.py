"""What a coroutine route reads of a request and says in reply, without Django's request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from dalhc.front.body import Scope
from dalhc.front.reply import Headers, Reply
from dalhc.http.problems import InvalidRequest
from dalhc.http.requests import API_HEADERS, new_request_id

# What a client accepts that gets JSON without asking what else there is.
ANY = (None, b"*/*", b"application/json")

# Made once: json.dumps makes one per call unless everything is at its default.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def header(scope: Scope, name: bytes) -> str | None:
    """The value of a header, lower-case name; the last one counts, as in Django's own reading
    of one.
    """
    found = None
    for key, value in scope["headers"]:
        if key == name:
            found = value
    return None if found is None else found.decode("latin-1")


def pairs(scope: Scope) -> list[tuple[str, str]]:
    """The query's parameters in their order."""
    try:
        text = scope["query_string"].decode("ascii")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError:
        raise InvalidRequest("The query cannot be read.") from None


def json_reply(
    scope: Scope, body: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Reply:
    """Compact JSON with the headers every answer has."""
    content = _encode(body).encode()
    lines = [
        *_ALWAYS,
        (b"content-length", b"%d" % len(content)),
        (b"x-request-id", new_request_id(header(scope, b"x-request-id")).encode()),
    ]
    lines += _lines(headers or {})
    return Reply(status, lines, content)


def _lines(headers: Mapping[str, str]) -> Headers:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]


_ALWAYS = _lines({"Content-Type": "application/json", **API_HEADERS})
