"""The tool loop: plan, run, record, and only then decide whether to go on (S0:61)."""

from __future__ import annotations

from typing import Any

from dalhc.client.folder import FolderRun
from dalhc.client.guards import Guards, Stop
from dalhc.client.journals import Ended, Journal, journal_of
from dalhc.client.moves import (
    Args,
    Ask,
    Budget,
    Call,
    Conversation,
    Done,
    GiveUp,
    Move,
    Outcome,
    Planner,
    Result,
    Step,
    Tools,
)
from dalhc.client.run import Run
from dalhc.client.text import in_words
from processes.journal.canonical import canonical_args, step_key


def run_tool_loop(
    run: Run | FolderRun, planner: Planner, tools: Tools, budget: Budget | None = None
) -> Outcome:
    """Drive a process until it ends or has to stop, and say how it stands.

    `run` is `client.run(…)` or `JournalFolder.run(…)`, not entered. Call it again with the same
    id to go on: after a crash what is recorded is not run again, after an answer both turns are
    in the conversation, and a process that waits for a person comes back at once.

    A tool's exception is a failed step, which the planner sees. What the planner raises, a lost
    server and Ctrl-C leave the process running, to be gone on with. A tool may run twice when
    the program dies before its step is recorded: at least once (S0:31).
    """
    with journal_of(run) as journal:
        loop = _Loop(journal, planner, tools, budget or Budget())
        try:
            return loop.go()
        except Ended as ended:
            state: Any = ended.state
            return Outcome(state, text=ended.text, steps=loop.guards.steps)


class _Loop:
    def __init__(
        self, journal: Journal, planner: Planner, tools: Tools, budget: Budget
    ) -> None:
        self.journal, self.planner, self.tools = journal, planner, tools
        self.guards = Guards(budget)
        self.recorded: list[Step] = []
        self.repeated: Step | None = None

    def go(self) -> Outcome:
        stopped_for = self.journal.stopped_for
        if self.journal.resume() != "continue":
            return self._suspended(stopped_for or "", self.journal.question)
        self.recorded, turns = self.journal.steps(), self.journal.turns()
        # Nobody had verified the result, and a person let it go on: it may be given again.
        believed = stopped_for == "unverified"
        while True:
            if stop := self.guards.before_move():
                return self._stop(stop)
            told = Conversation(
                self.journal.objective, tuple(self.recorded), turns, tuple(self.tools),
                self.repeated,
            )  # fmt: skip
            if outcome := self._take(self.planner(told), believed):
                return outcome
            believed = False

    def _take(self, move: Move, believed: bool) -> Outcome | None:
        match move:
            case Call(tool, args):
                return self._call(tool, args)
            case Ask(question):
                return self._stop(Stop("ask_user", question))
            case Done(text, verified) if not (verified or believed):
                return self._stop(Stop("unverified", text))
            case Done(text):
                self.journal.complete(text)
                return Outcome("completed", text=text, steps=self.guards.steps)
            case GiveUp(why):
                self.journal.fail(why)
                return Outcome("failed", text=why, steps=self.guards.steps)

    def _call(self, tool: str, args: Args) -> Outcome | None:
        text = canonical_args(args)
        key = step_key(tool, text)
        self.repeated = next((one for one in self.recorded if _is_done(one, key)), None)
        if self.repeated is not None:
            # Sent all the same: the journal answers "seen before, skipped", and counts it.
            self.journal.append(tool, text, True, self.repeated.result_digest, ())
            self.guards.repeated(key)
            return None
        if stop := self.guards.before_call(tool):
            return self._stop(stop)
        success, result = self._run(tool, args)
        step = self.journal.append(tool, text, success, result.text, result.artifacts)
        self.recorded.append(step)
        self.guards.ran(tool, key, success)
        return None

    def _run(self, tool: str, args: Args) -> tuple[bool, Result]:
        if tool not in self.tools:
            known = ", ".join(self.tools) or "none"
            return False, Result(f"There is no tool {tool}. There are: {known}.")
        try:
            made = self.tools[tool](args)
        except Exception as error:
            return False, Result(in_words(error))
        return True, made if isinstance(made, Result) else Result(made)

    def _stop(self, stop: Stop) -> Outcome:
        self.journal.suspend(stop.reason, stop.said)
        return self._suspended(stop.reason, stop.said)

    def _suspended(self, reason: str, text: str) -> Outcome:
        return Outcome("suspended", reason, text, self.guards.steps)


def _is_done(step: Step, key: str) -> bool:
    return step.success and step.idempotency_key == key
