"""The two places a run can be kept, and a person at each, for the tests of the tool loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalhc.client import Budget, JournalFolder, Outcome, run_tool_loop, scripted


class Bench:
    """One place to keep runs; `answer` and `approve` are what a person there does."""

    def __init__(self, start: Callable[..., Any]) -> None:
        self.start = start
        self.ran: list[Any] = []

    def go(self, planner, budget: Budget | None = None, objective="Tidy", **tools) -> Outcome:
        tools = tools or {"run": self.run}
        return run_tool_loop(self.start(objective, id="a"), planner, tools, budget)

    def run(self, args: Any) -> str:
        self.ran.append(args)
        return f"ran {args}"

    def script(self, *moves, **more) -> Outcome:
        return self.go(scripted(*moves), **more)


class OnServer(Bench):
    def __init__(self, desk) -> None:
        super().__init__(desk.runtime.run)
        self.desk = desk

    @property
    def record(self) -> Any:
        return self.desk.runtime.get("a")

    def answer(self, text: str) -> None:
        self.desk.decide("answer", answer=text)(self.desk)

    def approve(self) -> None:
        self.desk.decide("approve")(self.desk)

    def end(self, note: str) -> None:
        self.desk.person.stop("a", note)


class OnFiles(Bench):
    def __init__(self, folder: JournalFolder) -> None:
        super().__init__(folder.run)
        self.folder = folder

    @property
    def record(self) -> Any:
        return self.folder.read("a")

    def answer(self, text: str) -> None:
        self.folder.resume_at("a", text)

    def approve(self) -> None:
        """Nobody has to: the loop resumes by itself."""

    def end(self, note: str) -> None:
        self.folder.fail("a")
