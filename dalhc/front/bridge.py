"""The bridge: Django's ordinary WSGI handler, run in the pool, for every route that does not
wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from threading import Lock
from typing import Any

from dalhc.front import bounds
from dalhc.front.body import Body, Scope
from dalhc.front.environ import FileBlocks, environ_of
from dalhc.front.pool import Pool
from dalhc.front.reply import Headers, Reply, Send

WITHOUT_BODY = (204, 304)

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Stream:
    """An answer that is made while it is sent: a file, a long export. Never whole in memory."""

    def __init__(
        self, status: int, headers: Headers, response: Iterable[bytes], pool: Pool
    ) -> None:
        self.status = status
        self.headers = headers
        self._chunks = filter(None, response)
        self._close = getattr(response, "close", _nothing)
        self._pool = pool
        # A client may leave while a thread is making the next chunk: it is closed after that.
        self._making = Lock()

    async def send(self, scope: Scope, send: Send, body: Body) -> None:
        """Send chunk by chunk, as fast as the client reads; stop when it has left."""
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status,
                    "headers": self.headers,
                }
            )
            if scope["method"] != "HEAD":
                await body.unless_gone(self._send_chunks(send))
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await asyncio.shield(self._pool.run(self._end, begun=True))

    async def _send_chunks(self, send: Send) -> None:
        while chunk := await self._pool.run(self._next, begun=True):
            async with asyncio.timeout(bounds.SEND_SECONDS):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})

    def _next(self) -> bytes:
        """The next chunk that is not empty; empty at the end."""
        with self._making:
            return next(self._chunks, b"")

    def _end(self) -> None:
        with self._making:
            self._close()


class Bridge:
    """Calls a WSGI application for ASGI requests."""

    def __init__(self, application: Application, pool: Pool) -> None:
        self._application = application
        self._pool = pool

    async def answer(self, scope: Scope, body: Body) -> Reply | Stream:
        """Read the body, then run the application in a thread."""
        file = await body.file()
        environ = environ_of(scope, file, body.size)
        return await self._pool.run(partial(self._call, environ))

    def _call(self, environ: dict[str, Any]) -> Reply | Stream:
        started: list[tuple[int, Headers]] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> None:
            pairs = [
                (name.lower().encode("latin-1"), value.encode("latin-1"))
                for name, value in headers
            ]
            started[:] = [(int(status[:3]), pairs)]

        response = self._application(environ, start_response)
        status, headers = started[0]
        if isinstance(response, FileBlocks) or getattr(response, "streaming", False):
            return Stream(status, headers, response, self._pool)
        try:
            content = b"".join(response)
        finally:
            getattr(response, "close", _nothing)()
        return Reply(status, _with_length(status, headers, content), content)


def _with_length(status: int, headers: Headers, content: bytes) -> Headers:
    if status in WITHOUT_BODY or any(name == b"content-length" for name, _ in headers):
        return headers
    return [*headers, (b"content-length", str(len(content)).encode())]


def _nothing() -> None:
    """For a response that has nothing to close."""
