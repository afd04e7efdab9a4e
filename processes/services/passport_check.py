"""A passport verified without a database: its own chain, and what stands in it, event by
event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalhc.problems import Problem
from processes.journal import files
from processes.journal.record import ProcessRecord
from processes.services.broken import Broken
from processes.services.checkpoints import Ends
from processes.services.passport_file import Parts, head_of
from processes.services.votes import SAID
from processes.store.log import GENESIS, digest, event_hash
from processes.store.steps import artifacts_json, step_hash
from processes.store.suspensions import DECIDED

_HEAD = (
    "id",
    "objective",
    "state",
    "suspend_reason",
    "question",
    "principal_answer",
    "steps_used",
)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found to hold."""

    process_id: str
    state: str
    revision: int
    chain: str
    steps: int
    events: int
    decisions: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.process_id}, {self.state}, holds: {self.events} events, {self.steps} "
            f"steps, {self.decisions} decisions. It ends in {self.chain}."
        )


def check(path: Path, proven: Ends) -> Checked:
    """Raises Broken. `proven` are the ends of a checkpoint: the chain must pass through its
    own.
    """
    try:
        with path.open("rb") as file:
            return _check(Parts(file, path.name), path.name, proven)
    except (KeyError, TypeError, AttributeError) as error:
        raise Broken(f"{path.name} lacks what a passport has: {error}") from None


def _check(parts: Parts, name: str, proven: Ends) -> Checked:
    process = head_of(parts, name)["process"]
    record = _record(b"".join(parts.lines("journal")), name)
    for field in _HEAD:
        if process[field] != getattr(record, field):
            raise Broken(f"{name}: the journal and the process differ in {field}")
    steps = [_step_hash(step, said) for step, said in _paired(record, parts, name)]
    for _ in parts.lines("turns"):
        pass
    stops = {stop["id"] for stop in parts.rows("suspensions")}
    votes = {one["id"]: one for one in parts.rows("votes")}
    decided = {one["id"]: one for one in parts.rows("decisions")}
    artifacts = {one["path"]: (one["sha256"], one["size"]) for one in parts.rows("artifacts")}
    if any(one["suspension_id"] not in stops for one in decided.values()):
        raise Broken(f"{name}: a decision has no suspension")
    walk = _Walk(process["id"], name, proven.get(process["id"]))
    for event in parts.rows("events"):
        walk.take(event)
    walk.end(process["revision"], process["chain"])
    walk.compare(steps, votes, decided, artifacts)
    parts.check_seal()
    return Checked(
        record.id, record.state, process["revision"], process["chain"],
        len(steps), walk.seq + 1, len(decided),
    )  # fmt: skip


def _record(journal: bytes, name: str) -> ProcessRecord:
    try:
        return files.load(journal)[0]
    except Problem as problem:
        raise Broken(f"{name}: its journal is none: {problem}") from None


def _paired(
    record: ProcessRecord, parts: Parts, name: str
) -> Iterator[tuple[Any, dict[str, Any]]]:
    said = list(parts.rows("steps"))
    if [one["seq"] for one in said] != list(range(1, len(record.steps) + 1)):
        raise Broken(f"{name}: its steps are not those of its journal")
    return zip(record.steps, said, strict=True)


def _step_hash(step: Any, said: dict[str, Any]) -> str:
    told = {"artifacts_json": artifacts_json(step.artifacts)}
    names = ("tool", "args", "success", "result_digest", "idempotency_key")
    return step_hash({**said, **told, **{field: getattr(step, field) for field in names}})


class _Walk:
    """The events in their order, and what they say was kept."""

    def __init__(self, process_id: str, name: str, proven: tuple[int, str] | None) -> None:
        self.seq, self.chain = -1, GENESIS
        self._id, self._name, self._proven = process_id, name, proven
        self._steps: list[str] = []
        self._taken_in = 0
        self._votes: dict[str, str] = {}
        self._decided: dict[str, str] = {}
        self._artifacts: dict[str, tuple[str, int]] = {}

    def take(self, event: dict[str, Any]) -> None:
        seq, kind, text = event["seq"], event["kind"], event["data"]
        if seq != self.seq + 1 or event["prev_hash"] != self.chain:
            raise Broken(f"{self._name}: event {self.seq + 1} is missing or out of order")
        own = event_hash(self.chain, self._id, seq, kind, event["actor"], event["at_ms"], text)
        if own != event["hash"]:
            raise Broken(f"{self._name}: event {seq} was changed")
        if self._proven and self._proven[0] == seq and self._proven[1] != own:
            raise Broken(f"{self._name}: event {seq} is not the one of the checkpoint")
        self.seq, self.chain = seq, own
        self._note(kind, json.loads(text))

    def _note(self, kind: str, data: dict[str, Any]) -> None:
        if "file" in data:  # taken in, or followed: these steps have no events of their own
            self._taken_in = data["steps"]
        if kind == "step":
            self._steps.append(data["hash"])
        elif kind == "artifact":
            self._artifacts[data["path"]] = (data["sha256"], data["size"])
        elif kind == "vote":
            self._votes[data["vote"]] = data["said"]
        elif "decision" in data and "content" in data:  # a message has content as well
            self._decided[data["decision"]] = data["content"]

    def end(self, revision: int, chain: str) -> None:
        if (self.seq, self.chain) != (revision, chain):
            raise Broken(f"{self._name}: the process and its last event disagree")
        if self._proven and self._proven[0] > self.seq:
            raise Broken(f"{self._name}: events after {self.seq} were there at the checkpoint")

    def compare(
        self,
        steps: list[str],
        votes: dict[str, dict[str, Any]],
        decided: dict[str, dict[str, Any]],
        artifacts: dict[str, tuple[str, int]],
    ) -> None:
        """What is kept is what the events say."""
        self._same("step", steps[self._taken_in :], self._steps)
        hashes = {
            name: digest({field: one[field] for field in DECIDED})
            for name, one in decided.items()
        }
        self._same("decision", hashes, self._decided)
        for name, vote in votes.items():  # one that nobody may see yet is not among them
            said = digest({field: vote[field] for field in SAID})
            self._same("vote", said, self._votes.get(name))
        self._same("artifact", artifacts, self._artifacts)

    def _same(self, what: str, kept: object, told: object) -> None:
        if kept != told:
            raise Broken(f"{self._name}: a {what} is not the one of its event")
