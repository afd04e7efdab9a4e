"""The steps a process has already recorded, looked up by key."""

from __future__ import annotations

from dalhc.client.models import Head, Step
from dalhc.client.processes import Processes
from processes.journal.canonical import step_key


class Recorded:
    """The successful steps of one process; failures never block a retry (contract A13)."""

    def __init__(self, client: Processes, head: Head) -> None:
        self._by_key: dict[str, Step] = {}
        if head.steps_used:
            for step in client.steps(head.id):
                self.add(step)

    def success(self, tool: str, args: str) -> Step | None:
        """The recorded success of this call. `args` is the canonical text."""
        return self._by_key.get(step_key(tool, args))

    def add(self, step: Step) -> None:
        if step.success:
            self._by_key[step.idempotency_key] = step
