"""The world outside: parcels that arrive, and a principal who answers."""

from __future__ import annotations

import contextlib
import heapq
import time

from dalhc.client.agents.life import PRESET, Fell
from dalhc.client.client import Client
from dalhc.client.errors import AlreadyAnswered, NotFound, StaleReview

AT_ONCE = 20  # things that happen between two looks at the reports


class Outside:
    """What will happen, in the order of its time. Without a principal's key the questions
    wait in the inbox for a person.
    """

    def __init__(self, runtime: Client, principal: Client | None, within_s: float) -> None:
        self._runtime, self._principal, self._within_s = runtime, principal, within_s
        self._coming: list[tuple[float, str, Fell]] = []

    def adopt(self) -> None:
        """Questions of an earlier simulation, which ended before they were answered."""
        if self._principal:
            for stop in self._principal.suspensions():
                if stop.process_id.startswith(f"{PRESET}-") and stop.reason == "ask_user":
                    self.expect(Fell(stop.process_id, "question", stop.id))

    def expect(self, fell: Fell) -> None:
        """After half of the time that timers take, what this agent sleeps on happens."""
        if fell.key and (fell.on == "signal" or self._principal):
            heapq.heappush(self._coming, (time.time() + self._within_s / 2, fell.key, fell))

    def happen(self) -> list[str]:
        """What is to happen by now; the agents that it made due."""
        woken: list[str] = []
        while self._coming and self._coming[0][0] <= time.time() and len(woken) < AT_ONCE:
            _, key, fell = heapq.heappop(self._coming)
            if fell.on == "signal":
                self._runtime.signal(key, payload={"parcels": 1})
            else:
                self._answer(key)
            woken.append(fell.id)
        return woken

    def _answer(self, suspension_id: str) -> None:
        assert self._principal is not None
        # A person who looks on in the inbox may be quicker.
        with contextlib.suppress(AlreadyAnswered, NotFound, StaleReview):
            seen = self._principal.suspension(suspension_id)
            if seen.status == "open" and seen.review_digest:
                self._principal.decide(
                    suspension_id,
                    "answer",
                    review_digest=seen.review_digest,
                    answer="Take it in",
                )
