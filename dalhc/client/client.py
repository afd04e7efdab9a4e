"""The client of one dalhc server."""

from __future__ import annotations

from types import TracebackType
from typing import Self, Unpack

import httpx2

from dalhc.client.processes import Metadata, Processes
from dalhc.client.retry import Retry
from dalhc.client.run import Run
from dalhc.client.sleepers import Sleepers
from dalhc.client.suspensions import Suspensions
from dalhc.client.wire import Wire


class Client(Processes, Suspensions, Sleepers):
    """The verbs of the server as typed methods. Safe to use from several threads.

    `timeout` is seconds per try; `patience` is how many seconds to go on trying while the
    server is busy, restarting or silent (every call may be sent twice without harm). Raises
    DalhcError; the kinds worth catching are in `dalhc.client.errors`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._wire = Wire(url, key, timeout, Retry(patience), transport)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        return self._wire.url

    def close(self) -> None:
        self._wire.close()

    def patient(self, seconds: float) -> Client:
        """The same connection with another patience; closing either closes both."""
        other = Client.__new__(Client)
        other._wire = self._wire.patient(seconds)
        return other

    def run(
        self,
        objective: str | None = None,
        *,
        id: str | None = None,
        lease: bool = False,
        **metadata: Unpack[Metadata],
    ) -> Run:
        """A process as a context manager: opened, or gone on with by its `id`. See `Run`."""
        return Run(self, objective, id, lease, metadata)
