"""A client that lives whole lives of runs: opens, appends, asks, is answered, resumes, ends."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, Self

from benches.served import Served

STEPS = 10


class Live:
    """A connection of its own; any refusal raises."""

    def __init__(self, server: Served, number: int) -> None:
        self._server, self._name = server, f"life-{number}-{time.monotonic_ns()}"
        self._line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()

    def calls(self) -> Iterator[Callable[[], Any]]:
        """One call after the other, for ever."""
        for number in count():
            yield from self._life(f"{self._name}-{number}")

    def page(self, path: str, cookie: str) -> None:
        """A page with a login, or an address of the API's key without one."""
        self._line.request("GET", path, headers={"Cookie": cookie} if cookie else self._keyed())
        self._answer(200)

    def _life(self, id: str) -> Iterator[Callable[[], Any]]:
        at, told = f"/processes/{id}", dict[str, Any]()
        body = {"objective": "Last for long", "id": id, "start": True}
        yield partial(self._post, "/processes", body, 201)
        for number in range(STEPS):
            step = {"tool": "run", "args": {"n": number, "text": "x" * 200}, "success": True}
            yield partial(self._post, f"{at}/steps", step, 201)
        asked = {"reason": "ask_user", "question": f"Which of {id}?", "options": ["a", "b"]}
        yield lambda: told.update(self._post(f"{at}/suspend", asked, 200))
        yield lambda: self._decide(told["suspension"])
        yield partial(self._post, f"{at}/resume", {}, 200)
        yield partial(self._post, f"{at}/complete", {"final_text": "Done."}, 200)

    def _decide(self, stop: dict[str, Any]) -> None:
        body = {"action": "answer", "answer": "a", "review_digest": stop["review_digest"]}
        path = f"/suspensions/{stop['id']}/decision"
        self._post(path, body, 200, self._server.principal_key)

    def _post(self, path: str, body: Any, expected: int, key: str = "") -> Any:
        headers = self._server.headers(key or None)
        self._line.request("POST", f"/api/v1{path}", json.dumps(body), headers)
        return json.loads(self._answer(expected))

    def _answer(self, expected: int) -> bytes:
        answer = self._line.getresponse()
        content = answer.read()
        if answer.status != expected:
            raise RuntimeError(f"status {answer.status}: {content[-300:]!r}")
        return content

    def _keyed(self) -> dict[str, str]:
        return self._server.headers(self._server.principal_key)
