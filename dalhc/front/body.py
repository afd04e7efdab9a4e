"""What a client sends: read once, within bounds, in memory while it is small; and whether it is
still there.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import IO, Any, TypeVar

from dalhc.front import bounds
from dalhc.http.problems import TooLarge
from dalhc.problems import Problem

T = TypeVar("T")
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class RequestTimeout(Problem):
    """The body stopped coming, so the request was given up."""


class IncompleteBody(Problem):
    """The body, or its framing, broke off before all of it had come."""


class ClientGone(Exception):
    """The client closed the connection; nobody reads an answer."""


class Body:
    """The body of one request. `read` and `file` give the same bytes when called again.

    `headers`: by lower-case name, as bytes; the last one of a name counts.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._limit = bounds.body_limit(scope["method"], scope["path"])
        headers = self.headers = dict(scope["headers"])
        self._declared = _length(headers.get(b"content-length"))
        self._waits_for_100 = headers.get(b"expect", b"").lower() == b"100-continue"
        self._complete = not self._declared and b"transfer-encoding" not in headers
        self._file = _room(self._limit)
        self._watch: asyncio.Task[None] | None = None
        self.size = self._pieces = 0

    async def read(self) -> bytes:
        """All of it, for routes whose bodies are small."""
        return (await self.file()).read()

    async def file(self) -> IO[bytes]:
        """All of it as a file standing at its start.

        Raises TooLarge, RequestTimeout, and IncompleteBody when it broke off: whoever sent what
        cannot be read as chunks is still there to be told.
        """
        if not self._complete:
            await self._take()
            self._complete = True
        self._file.seek(0)
        return self._file

    async def unless_gone(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`, but cancel it and raise ClientGone when the client closes the
        connection first.
        """
        await self.file()
        if self._watch is None:
            self._watch = asyncio.create_task(self._until_gone())
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, self._watch}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise ClientGone
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def close(self) -> None:
        """Forget it all; the request is over."""
        if self._watch is not None:
            self._watch.cancel()
        self._file.close()

    async def _take(self) -> None:
        if self._declared > self._limit and (
            self._waits_for_100 or self._declared > self._limit + bounds.DRAINED
        ):
            raise self._too_large()
        until = asyncio.get_running_loop().time() + bounds.BODY_SECONDS
        more = True
        while more:
            message = await self._next(until)
            self._keep(message.get("body", b""))
            more = message.get("more_body", False)
        if self.size > self._limit:
            raise self._too_large()

    async def _next(self, until: float) -> Mapping[str, Any]:
        left = min(bounds.SILENT_SECONDS, until - asyncio.get_running_loop().time())
        try:
            message = await asyncio.wait_for(self._receive(), left)
        except TimeoutError:
            raise RequestTimeout from None
        if message["type"] == "http.disconnect":
            raise IncompleteBody
        return message

    def _keep(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self._pieces += 1
        if self._pieces > bounds.PIECES + self.size // bounds.PIECE_BYTES:
            raise TooLarge("The body comes in too many too small pieces.")
        if self.size <= self._limit:
            self._file.write(chunk)
        elif self.size > self._limit + bounds.DRAINED:
            raise self._too_large()

    def _too_large(self) -> TooLarge:
        return TooLarge(f"At most {self._limit:,} bytes are taken here.")

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


def _room(limit: int) -> IO[bytes]:
    """A file for so many bytes: in memory while they are few, on the disk beyond."""
    if limit <= bounds.IN_MEMORY:
        return io.BytesIO()
    return tempfile.SpooledTemporaryFile(max_size=bounds.IN_MEMORY)


def _length(header: bytes | None) -> int:
    return int(header) if header and header.isdigit() else 0
