"""The agent's bench: where it works, how it records a step, how it says what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dalhc.client import Run


@dataclass(frozen=True, slots=True)
class Tools:
    """`root` is the folder searched, `say` prints one line."""

    run: Run
    root: str
    say: Callable[[str], None]

    def step(self, tool: str, args: dict[str, Any], do: Callable[[], str], on: str) -> str:
        """The step's digest, done now or recorded before; `on` names what it is about."""
        did = False

        def work() -> str:
            nonlocal did
            did = True
            return do()

        digest = self.run.step(tool, args, do=work, effect="idempotent")
        self.say(f"  {tool} {on}: {digest}{'' if did else ' (recorded before)'}")
        return digest
