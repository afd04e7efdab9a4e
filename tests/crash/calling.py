"""A whole life over HTTP, by a client that sends again what was not answered, and may be killed
at any moment: the next one goes on.
"""

from __future__ import annotations

import time
from typing import Any

import httpx2

from tests.crash.lifecycle import STEPS, Tell

PATIENCE = 120  # seconds for one verb, with a server that is killed again and again


class Caller:
    """The runtime and its principal in one."""

    def __init__(self, url: str, runtime: str, person: str) -> None:
        self._url, self._runtime, self._person = f"{url}/api/v1/", runtime, person
        self._client = httpx2.Client(trust_env=False, timeout=20)

    def close(self) -> None:
        self._client.close()

    def lead(self, name: str, tell: Tell) -> None:
        """As `lifecycle.lead`, without the artifact."""
        at = f"processes/{name}"
        self._post("processes", {"objective": "Tidy", "id": name, "start": True})
        tell(f"open {name}")
        state = self._get(at)["state"]
        if state == "completed":
            tell(f"complete {name}")
            return
        for number in range(1, STEPS + 1) if state == "running" else ():
            step = {"tool": "run", "args": {"n": number}, "success": True}
            kept = self._post(f"{at}/steps", step)
            tell(f"step {name} {kept['seq']} {kept['idempotency_key']}")
        asked = {"reason": "ask_user", "question": "Which?", "ask_key": "which"}
        stop = self._post(f"{at}/suspend", asked)["suspension"]
        tell(f"stop {name} {stop['id']}")
        if stop["status"] == "open":
            self._decide(stop)
        tell(f"answer {name} {stop['id']}")
        assert self._post(f"{at}/resume", {})["result"] == "continue"
        tell(f"resume {name} {stop['id']}")
        self._post(f"{at}/complete", {})
        tell(f"complete {name}")

    def _decide(self, stop: dict[str, Any]) -> None:
        choice = {
            "action": "answer", "answer": "that one", "review_digest": stop["review_digest"],
        }  # fmt: skip
        self._post(f"suspensions/{stop['id']}/decision", choice, self._person)

    def _post(self, path: str, body: Any, key: str | None = None) -> dict[str, Any]:
        return self._asked("POST", path, key, json=body)

    def _get(self, path: str) -> dict[str, Any]:
        return self._asked("GET", path)

    def _asked(
        self, method: str, path: str, key: str | None = None, **body: Any
    ) -> dict[str, Any]:
        """Until it is answered; 503 is no answer, every other refusal is a failure."""
        headers = {"Authorization": f"Bearer {key or self._runtime}"}
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                told = self._client.request(method, self._url + path, headers=headers, **body)
            except httpx2.TransportError:
                time.sleep(0.02)
                continue
            if told.status_code in {200, 201}:
                return dict(told.json())
            assert told.status_code == 503, f"{method} {path}: {told.status_code} {told.text}"
            time.sleep(0.02)
        raise AssertionError(f"{method} {path} was not answered for {PATIENCE} seconds")
