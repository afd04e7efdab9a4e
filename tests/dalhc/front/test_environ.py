"""What Django is told of a request."""

from __future__ import annotations

import io
from typing import Any

from django.core.handlers.wsgi import WSGIRequest

from dalhc.front.environ import environ_of

SCOPE = {
    "method": "POST",
    "path": "/a",
    "raw_path": b"/a",
    "query_string": b"q=%20",
    "http_version": "1.1",
    "scheme": "http",
    "server": ("127.0.0.1", "8000"),
    "client": ("127.0.0.1", "5000"),
    "headers": [(b"host", b"h")],
}


def environ(*headers: tuple[bytes, bytes], body: bytes = b"", **scope: Any) -> dict[str, Any]:
    full = {**SCOPE, "headers": [*SCOPE["headers"], *headers], **scope}
    return environ_of(full, io.BytesIO(body), len(body))


def test_a_path_reaches_django_byte_for_byte():
    assert WSGIRequest(environ(raw_path=b"/%C3%A9/a%20b")).path == "/é/a b"
    assert WSGIRequest(environ(raw_path=b"/%ff")).path == "/%FF"
    assert WSGIRequest(environ(raw_path=b"/a%2Fb")).path == "/a/b"


def test_repeated_headers_are_joined_and_cookies_as_cookies_are():
    found = environ((b"x-a", b"1"), (b"x-a", b"2"), (b"cookie", b"a=1"), (b"cookie", b"b=2"))
    assert found["HTTP_X_A"] == "1,2"
    assert WSGIRequest(found).COOKIES == {"a": "1", "b": "2"}


def test_a_header_with_an_underscore_does_not_pass_for_one_with_a_dash():
    assert "HTTP_X_FORWARDED_PROTO" not in environ((b"x_forwarded_proto", b"https"))


def test_the_length_is_what_was_read_not_what_was_said():
    found = environ(
        (b"content-length", b"999"), (b"transfer-encoding", b"chunked"), body=b"abc"
    )
    assert found["CONTENT_LENGTH"] == "3"
    assert "HTTP_CONTENT_LENGTH" not in found
    assert "HTTP_TRANSFER_ENCODING" not in found


def test_a_client_on_a_unix_socket_has_no_address():
    assert environ(client=None)["REMOTE_ADDR"] == ""
