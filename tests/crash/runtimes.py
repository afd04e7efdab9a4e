"""Runtimes and a person that go on whatever happens: what is answered 503 or not at all is sent
again, the same, and every acknowledgement is remembered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import httpx2

from processes.journal.limits import TURNS
from tests.serving import Served

LONGEST = 10.0  # seconds a request may take, whatever happens to the database
ROUND = 5  # steps between two questions
PAUSE = 0.05


class Refusals:
    """What was refused in between, and how long the longest request took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.wrong: list[str] = []
        self.said: list[str] = []
        self.times, self.longest = 0, 0.0

    def note(self, reply: httpx2.Response | None, seconds: float) -> None:
        with self._lock:
            self.longest = max(self.longest, seconds)
            if reply is None or reply.status_code < 300:
                return
            self.times += 1
            self.said.append(f"{seconds:.1f} s: {reply.request.url.path} {reply.text[:80]}")
            if reply.status_code != 503 or "retry-after" not in reply.headers:
                self.wrong.append(f"{reply.status_code} {reply.text[:300]}")


class Runtime:
    """One process: it appends, asks, is answered and resumes until it is told to end."""

    def __init__(self, servers: list[Served], id: str, refusals: Refusals) -> None:
        self.id, self.steps, self.answers = id, dict[int, int](), 0
        self.happened = 0  # acknowledgements so far
        self.last = ""  # refusal or silence
        self._servers, self._refusals = servers, refusals
        self._place = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.error: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()

    def join(self) -> None:
        self._thread.join(120)
        if self.error is not None:
            raise self.error
        assert not self._thread.is_alive(), f"{self.id} hangs"

    def _run(self) -> None:
        try:
            self._live()
        except BaseException as error:
            self.error = error

    def _live(self) -> None:
        self._send("POST", "processes", {"objective": "Tidy", "id": self.id, "start": True})
        number = 0
        while not self._ended.is_set():
            for _ in range(ROUND):
                step = {"tool": "run", "args": {"n": number}, "success": True}
                told = self._send("POST", f"processes/{self.id}/steps", step)
                self.steps[number] = told["seq"]
                number += 1
            self._ask(f"ask-{number}")

    def _ask(self, ask_key: str) -> None:
        asked = {"reason": "ask_user", "question": f"{ask_key}?", "ask_key": ask_key}
        stop = self._send("POST", f"processes/{self.id}/suspend", asked)["suspension"]
        choice = {
            "action": "answer", "answer": ask_key, "review_digest": stop["review_digest"]
        }  # fmt: skip
        self._send("POST", f"suspensions/{stop['id']}/decision", choice, person=True)
        told = self._send("POST", f"processes/{self.id}/resume", {})
        assert told["result"] == "continue", told
        assert told["decision"]["answer"] == ask_key, told
        self.answers += 1

    def _send(self, method: str, path: str, body: Any, *, person: bool = False) -> Any:
        """Until it is acknowledged. A server that is away or refuses is not asked again before
        the others.
        """
        while True:
            server = self._servers[self._place % len(self._servers)]
            caller, begun, reply = server.person if person else server.runtime, _now(), None
            with suppress(httpx2.TransportError):
                reply = caller.request(method, path, json=body)
            self._refusals.note(reply, _now() - begun)
            said = "no answer" if reply is None else f"{reply.status_code} {reply.text[:200]}"
            self.last = f"{method} {path}: {said} after {_now() - begun:.1f} s"
            if reply is not None and reply.status_code < 300:
                self.happened += 1
                return reply.json()
            if reply is not None and reply.status_code != 503:
                raise AssertionError(f"{method} {path}: {reply.status_code} {reply.text}")
            self._place += 1
            time.sleep(PAUSE)


def _now() -> float:
    return time.monotonic()


def started(servers: list[Served], count: int, refusals: Refusals) -> list[Runtime]:
    runtimes = [Runtime(servers, f"run-{number}", refusals) for number in range(count)]
    for runtime in runtimes:
        runtime.start()
    return runtimes


def go_on(runtimes: Iterable[Runtime], seconds: float, more: int = 1) -> float:
    """Wait until each was acknowledged something `more` times from now; how long it took."""
    begun, before = _now(), {runtime: runtime.happened for runtime in runtimes}
    while left := [one for one, was in before.items() if one.happened < was + more]:
        assert _now() < begun + seconds, [one.last for one in left]
        time.sleep(0.02)
    return _now() - begun


def until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = _now() + seconds
    while not condition():
        assert _now() < deadline, "it did not come true in time"
        time.sleep(0.02)


def ended(runtimes: list[Runtime], server: Served) -> None:
    """End them, and see that each journal holds what was told, once, where it was told."""
    for runtime in runtimes:
        runtime.end()
    for runtime in runtimes:
        runtime.join()
        journal = server.runtime.get(f"processes/{runtime.id}/journal")
        told = journal.raise_for_status().json()
        kept = {step["args"]: seq for seq, step in enumerate(told["steps"], 1)}
        assert len(kept) == len(told["steps"]) == told["steps_used"] == len(runtime.steps)
        assert {f'{{"n":{n}}}': seq for n, seq in runtime.steps.items()} == kept
        answers = [turn["content"] for turn in told["turns"] if turn["role"] == "user"]
        assert len(answers) == len(set(answers)) == min(runtime.answers, TURNS // 2)
