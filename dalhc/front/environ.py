"""An ASGI scope as the WSGI environ of PEP 3333."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import IO, Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from dalhc.front.body import Scope

BLOCK = 64 * 1024


class FileBlocks(FileWrapper):
    """A file sent in blocks of 64 KiB, however small its view would have cut them."""

    def __init__(self, file: IO[bytes], block: int = BLOCK) -> None:
        super().__init__(file, max(block, BLOCK))


def environ_of(scope: Scope, file: IO[bytes], size: int) -> dict[str, Any]:
    """Everything Django reads of a request whose body, `size` bytes, is in `file`."""
    host, port = scope.get("server") or ("127.0.0.1", "0")
    client = scope.get("client") or ("", "")
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": _path(scope),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": file,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileBlocks,
    }
    _add_headers(environ, scope["headers"])
    # The size that was read, not the one that was announced; chunked bodies announce none.
    environ["CONTENT_LENGTH"] = str(size)
    return environ


def _path(scope: Scope) -> str:
    """The path's bytes as latin-1, which is how WSGI spells bytes; the scope's own text may
    have lost some.
    """
    raw: bytes | None = scope.get("raw_path")
    path = unquote_to_bytes(raw.partition(b"?")[0]) if raw else scope["path"].encode()
    return path.decode("latin-1")


def _add_headers(environ: dict[str, Any], headers: list[tuple[bytes, bytes]]) -> None:
    for raw, value in headers:
        name = _name(raw)
        if not name:
            continue
        text = value.decode("latin-1")
        if name in environ:
            text = f"{environ[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{text}"
        environ[name] = text


@lru_cache(maxsize=1024)
def _name(header: bytes) -> str:
    """`x-request-id` → `HTTP_X_REQUEST_ID`. Empty for what must not reach Django.

    An underscore would let a client forge a header that a proxy sets with a dash.
    """
    if b"_" in header or header.lower() in (b"content-length", b"transfer-encoding"):
        return ""
    name = header.decode("latin-1").upper().replace("-", "_")
    return name if name == "CONTENT_TYPE" else f"HTTP_{name}"
