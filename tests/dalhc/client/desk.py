"""The real API within the test's process, and a person who acts when a runtime waits."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any

import httpx2

from dalhc.client import Client, Run
from dalhc.client.models import Suspension

type Act = Callable[["Desk"], object]


class Desk(httpx2.BaseTransport):
    """`runtime` and `person` are clients of it; `acts` are done one by one, one per wait."""

    def __init__(self, application: Any, runtime_key: str, person_key: str) -> None:
        self._inner = httpx2.WSGITransport(app=application)
        self.acts: deque[Act] = deque()
        self.sent: list[tuple[str, str]] = []
        self.runtime = Client("http://127.0.0.1", runtime_key, patience=0, transport=self)
        self.person = Client("http://127.0.0.1", person_key, patience=0, transport=self)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append((request.method, request.url.path.removeprefix("/api/v1/")))
        if "wait" in request.url.params:
            assert self.acts, "The runtime waits and nobody is there to act."
            self.acts.popleft()(self)
            request.url = request.url.copy_remove_param("wait")
        return self._inner.handle_request(request)

    def open_stops(self) -> list[Suspension]:
        return list(self.person.suspensions())

    def decide(self, action: str, **fields: Any) -> Act:
        """An act: the oldest open suspension is decided so."""

        def act(desk: Desk) -> None:
            [stop, *_] = desk.open_stops()
            assert stop.review_digest
            desk.person.decide(stop.id, action, review_digest=stop.review_digest, **fields)

        return act

    def count(self, verb: str, ending: str) -> int:
        """How many requests of this kind have been made."""
        return sum(method == verb and path.endswith(ending) for method, path in self.sent)


class Tool:
    """Something with an effect, counted."""

    def __init__(self, result: str = "done") -> None:
        self.calls, self.result = 0, result

    def __call__(self) -> str:
        self.calls += 1
        return self.result


class Crash(BaseException):
    """The program dies here."""


def die(_: object) -> None:
    raise Crash


def crashed(desk: Desk, body: Callable[[Run], object]) -> None:
    """A run `tidy-1` that does `body` and then dies, if it has not died before."""
    with contextlib.suppress(Crash), desk.runtime.run("Tidy up", id="tidy-1") as run:
        body(run)
        raise Crash
