"""A worker that waits for wakes: one connection, one long-poll after another, each claim with
the moment it arrived.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from dataclasses import dataclass
from typing import Any

from benches.served import Served

WAIT = 2  # seconds of a long-poll: the longest that it takes to end
LEASE = 3_600


@dataclass(frozen=True)
class Claim:
    """`arrived` is on time.perf_counter's clock, `at_ms` a Unix millisecond with its parts."""

    wake: dict[str, Any]
    arrived: float
    at_ms: float

    @property
    def epoch(self) -> int:
        return int(self.wake["lease_epoch"])

    @property
    def late_ms(self) -> float:
        """After the timer's own millisecond."""
        return self.at_ms - float(self.wake["woken_by"]["key"])


class Claimer:
    """Claims for the runtime of the demo until it is closed."""

    def __init__(self, server: Served) -> None:
        self._server = server
        self._changed = threading.Condition()
        self._claimed: dict[str, Claim] = {}
        self._failure = ""
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def claimed(self, process: str, seconds: float = 10) -> Claim:
        """The claim of this process, once it is there."""
        with self._changed:
            there = self._changed.wait_for(
                lambda: process in self._claimed or self._failure, seconds
            )
            if not there or self._failure:
                raise RuntimeError(self._failure or f"{process} was not woken in {seconds} s")
            return self._claimed.pop(process)

    def close(self) -> None:
        self._ends.set()
        self._thread.join(WAIT + 2)

    def _run(self) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self._server.port)
        body = json.dumps({"owner": "bench", "ttl_s": LEASE, "limit": 1})
        try:
            while not self._ends.is_set():
                self._claim(line, body)
        except Exception as error:
            with self._changed:
                self._failure = f"the worker ended: {error}"
                self._changed.notify_all()
        finally:
            line.close()

    def _claim(self, line: http.client.HTTPConnection, body: str) -> None:
        path = f"/api/v1/wakes/claim?wait={WAIT}"
        line.request("POST", path, body, self._server.headers())
        answer = line.getresponse()
        said = answer.read()
        arrived, at_ms = time.perf_counter(), time.time() * 1000
        if answer.status != 200:
            raise RuntimeError(said.decode())
        with self._changed:
            for wake in json.loads(said)["results"]:
                self._claimed[wake["record"]["id"]] = Claim(wake, arrived, at_ms)
            self._changed.notify_all()
