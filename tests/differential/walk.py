"""The same random verbs on the database and on a folder of files, told apart by nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from dalhc.client import JournalFolder
from dalhc.clock import at
from dalhc.problems import Problem
from processes import services
from processes.journal.commands import Complete, Fail, OpenProcess, Resume, Suspend
from processes.journal.record import METADATA
from processes.services.journals import journal_text
from tests.making import Made, append, decide, principal_actor

REASONS = ("ask_user", "step_budget", "wall_clock", "guard", "unverified", "opened", "paused")
WORDS = ("eu", "Which?", " ", "", "é\u0301" * 1_200, "x" * 8_000, "\u3164", "日本 \U0001f600")
ARGS: tuple[Any, ...] = (
    "ls", "run:ls -la", {"b": 1, "a": [1.0, -0.0, 1e16]}, {"a": [1.0, -0.0, 1e16], "b": 1}, [],
)  # fmt: skip


@dataclass(frozen=True)
class Verb:
    """One call, told to each store in its own words."""

    name: str
    told: dict[str, Any]


def verb(pick: random.Random) -> Verb:
    """What a runtime and its principal might do next, sensible or not."""
    name = pick.choices(
        ("append", "suspend", "resume", "answer", "complete", "fail", "open"),
        (10, 5, 6, 5, 1, 1, 1),
    )[0]
    match name:
        case "append":
            return Verb(name, {
                "tool": pick.choice(("run", "write_file")), "args": pick.choice(ARGS),
                "success": pick.random() < 0.6, "result_digest": pick.choice(WORDS) * 2,
                "artifacts": [f"out/{n}" for n in range(pick.choice((0, 0, 1, 32, 40)))],
            })  # fmt: skip
        case "suspend":
            reason = pick.choice(REASONS)
            asked = pick.choice(WORDS) if pick.random() < 0.8 else None
            return Verb(name, {"reason": reason, "question": asked})
        case "answer":
            return Verb(name, {"answer": pick.choice(WORDS)})
        case _:
            return Verb(name, {})


def walk(seed: int, folder: JournalFolder) -> list[str]:
    """One sequence on both stores, compared after every verb. Returns what came of each."""
    pick = random.Random(seed)
    id, now = f"walk-{seed}", 1_790_000_000_000
    metadata = {name: pick.choice((None, "", "x" * 200, "208")) for name in METADATA}
    opened = {"objective": pick.choice(("Tidy", "é\n日本", "x" * 8_000)), **metadata}
    one, two = Database(id, opened), Files(id, opened, folder)
    results = []
    for number in range(pick.randint(4, 20)):
        now += pick.choice((0, 1, 1_000, -500))
        step = Verb("open", {}) if number == 0 else verb(pick)
        with at(now):
            came = (outcome(one, step), outcome(two, step))
        assert came[0] == came[1], (seed, number, step, came)
        assert one.record() == two.record(), (seed, number, step)
        results.append(f"{step.name} {came[0]}")
    text = journal_text(id, principal_actor())
    assert text.encode() == (folder.root / f"{id}.json").read_bytes(), seed
    return results


def outcome(store: Any, step: Verb) -> str:
    """What the verb said, or the code of its refusal."""
    call: Callable[..., str] = getattr(store, step.name)
    try:
        return call(**step.told)
    except Problem as refused:
        return str(refused.code)
    except ValidationError:
        return "invalid_request"


class Database:
    """The services; a person's decision comes before the resume that hands it over."""

    def __init__(self, id: str, opened: dict[str, Any]) -> None:
        self.made, self.opened = Made(id), opened

    def record(self) -> dict[str, Any]:
        return dict(json.loads(journal_text(self.made.id, principal_actor())))

    def open(self) -> str:
        command = OpenProcess(id=self.made.id, **self.opened)
        opened = services.open_process(command, by=self.made.by)
        return "opened" if opened.created else "process_exists"

    def append(self, **told: Any) -> str:
        done = append(self.made, **told)
        step = done.step
        return f"{done.skipped} {step['digest_clipped']} {step['artifacts_dropped']}" if (
            not done.skipped
        ) else "skipped"  # fmt: skip

    def suspend(self, **told: Any) -> str:
        services.suspend(self.made.id, Suspend(**told), by=self.made.by)
        return "suspended"

    def resume(self) -> str:
        waiting = self.made.row.host.suspension_id
        if waiting and self.made.row.host.held:
            decide(Made(self.made.id, waiting), "approve")
        return str(services.resume(self.made.id, Resume(), by=self.made.by).result)

    def answer(self, answer: str) -> str:
        """Only of a question that waits; `Files.answer` holds the others to the same."""
        waiting = self.made.row.host.suspension_id
        if waiting is None or self.record()["suspend_reason"] != "ask_user":
            return "nothing waits"
        decide(Made(self.made.id, waiting), answer=answer)
        return self.resume()

    def complete(self) -> str:
        return str(services.complete(self.made.id, Complete(), by=self.made.by).head.state)

    def fail(self) -> str:
        return str(services.fail(self.made.id, Fail(), by=self.made.by).head.state)


class Files:
    """The folder, where the answer comes with the resume."""

    def __init__(self, id: str, opened: dict[str, Any], folder: JournalFolder) -> None:
        self.id, self.opened, self.folder = id, opened, folder

    def record(self) -> dict[str, Any]:
        return dict(json.loads((self.folder.root / f"{self.id}.json").read_bytes()))

    def open(self) -> str:
        self.folder.open_process(id=self.id, **self.opened)
        return "opened"

    def append(self, **told: Any) -> str:
        done = self.folder.append_step_at(self.id, **told)
        if done.skipped:
            return "skipped"
        return f"{done.skipped} {done.digest_clipped} {done.artifacts_dropped}"

    def suspend(self, **told: Any) -> str:
        self.folder.suspend_at(self.id, **told)
        return "suspended"

    def resume(self) -> str:
        return str(self.folder.resume_at(self.id).result)

    def answer(self, answer: str) -> str:
        if self.record()["suspend_reason"] != "ask_user":
            return "nothing waits"
        return str(self.folder.resume_at(self.id, answer).result)

    def complete(self) -> str:
        return str(self.folder.complete(self.id).state)

    def fail(self) -> str:
        return str(self.folder.fail(self.id).state)
