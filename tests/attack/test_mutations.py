"""Whatever becomes of a valid body or file on its way is refused with nothing kept, or kept as
it was sent; two bounds clip, and say so. Never a 500.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings

from dalhc.problems import Problem
from processes.journal import files
from processes.journal.canonical import canonical_args
from processes.journal.limits import ARTIFACTS_PER_STEP, DIGEST_CHARS
from tests.attack.mutations import mutated
from tests.processes.api.callers import Caller, everything

# By PROVE=1 more than ten thousand together.
EXAMPLES = 1_300 if os.environ.get("PROVE") else 40
JOURNALS = tuple(
    json.loads(path.read_bytes())
    for path in sorted((Path(__file__).parents[1] / "journals").glob("*.json"))
)
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))

OPEN = (
    {"objective": "Tidy", "id": "mutated", "start": True, "cycle_id": "c", "objective_id": "o"},
    {"objective": "é 🧾", "cycle_phase": "p", "objective_class": "k"},
)
STEP: dict[str, Any] = {
    "tool": "run", "args": {"a": [1, 2.5, {"b": "é"}], "c": None}, "success": True,
    "result_digest": "done", "artifacts": ["out/a.txt", "b"], "attempt_id": "a-1",
    "effect": "at_most_once",
}  # fmt: skip
STEPS = (
    STEP,
    {"tool": "run", "args": "run:ls", "success": False},
    [STEP, STEP | {"args": "x"}],
)
ASK = (
    {"reason": "ask_user", "question": "Which?", "options": ["a", "b"], "detail": "d",
     "ask_key": "k", "due_at": "2030-01-01T00:00:00Z", "priority": "high",
     "assignees": ["mia"]},
    {"reason": "guard", "hold": True, "strict": True, "question": "May I?",
     "proposed_action": {"tool": "rm", "args": {"path": "x"}},
     "expires_at": "2030-01-01T00:00:00Z", "on_timeout": "decline"},
    {"reason": "ask_user", "question": "How many?",
     "response_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
)  # fmt: skip
ATTEMPT = ({"tool": "pay", "args": {"n": 1}, "attempt_id": "a-1", "effect": "at_most_once"},)
LEASE = ({"owner": "o", "ttl_s": 60},)
END = ({"final_text": "Done.", "lease_epoch": None}, {"final_text": "é\n🧾"})
TAKEN = {200, 201}


class Undone(Exception):
    """Nothing of this example stays for the next."""


@pytest.fixture
def tried(runtime: Caller, mia: Caller) -> Callable[..., None]:
    """Send these bytes, check what is said, and undo it."""
    runtime.open(id="runs")
    before = everything()

    def send(method: str, path: str, raw: bytes, kept: Callable[[Any, Any], None]) -> None:
        try:
            with transaction.atomic():
                reply = runtime.send(method, path, raw)
                assert reply.status_code < 500
                if reply.status_code in TAKEN:
                    kept(once_named(raw), reply.json())
                else:
                    assert everything() == before, "refused, and yet something was kept"
                raise Undone
        except Undone:
            pass

    return send


def once_named(raw: bytes) -> Any:
    """The value as another parser reads it; nothing that two could read differently."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        assert len(set(names)) == len(names), "a name twice was taken"
        return dict(found)

    def constant(text: str) -> None:
        raise AssertionError(f"{text} was taken")

    if not raw:
        return {}  # an empty body stands for an empty object
    return json.loads(raw.decode(), object_pairs_hook=pairs, parse_constant=constant)


def same(sent: dict[str, Any], told: dict[str, Any], *, but: tuple[str, ...] = ()) -> None:
    """Every field that was sent stands in the reply as it was; null stands for nothing."""
    for name, value in sent.items():
        if name in but or value is None:
            continue
        assert name in told, name
        assert told[name] == value and type(told[name]) is type(value), name


def same_step(sent: dict[str, Any], told: dict[str, Any]) -> None:
    same(sent, told, but=("args", "result_digest", "artifacts", "lease_epoch"))
    assert told["args"] == canonical_args(sent["args"])
    digest, paths = sent.get("result_digest", ""), sent.get("artifacts", [])
    assert told["result_digest"] == digest[:DIGEST_CHARS]
    assert told["digest_clipped"] is (len(digest) > DIGEST_CHARS)
    assert told["artifacts"] == paths[:ARTIFACTS_PER_STEP]
    assert told["artifacts_dropped"] == max(0, len(paths) - ARTIFACTS_PER_STEP)


@many
@given(raw=mutated(OPEN))
def test_a_process_opens_as_it_was_sent_or_not_at_all(
    tried: Callable[..., None], raw: bytes
) -> None:
    tried("POST", "processes", raw, lambda sent, told: same(sent, told, but=("start",)))


@many
@given(raw=mutated(STEPS))
def test_a_step_is_kept_as_it_was_sent_or_not_at_all(
    tried: Callable[..., None], raw: bytes
) -> None:
    def kept(sent: Any, told: Any) -> None:
        if isinstance(sent, list):
            for one, result in zip(sent, told["results"], strict=True):
                if not result["skipped"]:
                    same_step(one, result)
        else:
            same_step(sent, told)

    tried("POST", "processes/runs/steps", raw, kept)


@many
@given(raw=mutated(ASK))
def test_a_stop_is_kept_as_it_was_sent_or_not_at_all(
    tried: Callable[..., None], raw: bytes
) -> None:
    def kept(sent: Any, told: Any) -> None:
        stop = told["suspension"]
        named = {"hold", "proposed_action", "due_at", "expires_at", "ask_key", "lease_epoch"}
        same(sent, stop, but=tuple(named))
        if sent.get("hold"):
            assert stop["held"]
        if action := sent.get("proposed_action"):
            args = canonical_args(action["args"])
            assert stop["proposed_action"] == {"tool": action["tool"], "args": args}
        for name in ("due_at", "expires_at"):
            if sent.get(name) is not None:
                assert stop[name] is not None

    tried("POST", "processes/runs/suspend", raw, kept)


@many
@given(raw=mutated(ATTEMPT), lease=mutated(LEASE), end=mutated(END))
def test_what_begins_and_ends_a_call_or_a_run_is_taken_whole_or_not(
    tried: Callable[..., None], raw: bytes, lease: bytes, end: bytes
) -> None:
    def owned(sent: Any, told: Any) -> None:
        assert told["owner"] == sent["owner"]

    def nothing(sent: Any, told: Any) -> None:
        assert isinstance(sent, dict)

    tried("POST", "processes/runs/attempts", raw, nothing)
    tried("POST", "processes/runs/lease", lease, owned)
    tried("POST", "processes/runs/complete", end, nothing)


@many
@given(raw=mutated(JOURNALS))
def test_a_journal_file_reads_back_as_it_was_or_is_refused(raw: bytes) -> None:
    try:
        record, extra = files.load(raw)
    except Problem:
        return
    again, kept = files.load(files.dump(record, extra).encode())
    assert (again, kept) == (record, extra)
    sent = once_named(raw)
    told = json.loads(files.dump(record, extra))
    _same_file(sent, told)


def _same_file(sent: dict[str, Any], told: dict[str, Any]) -> None:
    """Under its own names, or under ours where it used an older one."""
    aliased = {alias for names in files.HEAD_ALIASES.values() for alias in names}
    same(sent, told, but=(*aliased, "steps", "turns"))
    older = {alias for names in files.STEP_ALIASES.values() for alias in names}
    for one, result in zip(sent.get("steps") or [], told["steps"], strict=True):
        same(one, result, but=(*older, "args"))
        if isinstance(one.get("args"), str):
            assert result["args"] == one["args"]


@many
@given(raw=mutated(JOURNALS))
def test_an_imported_journal_is_exported_as_it_came_or_was_refused(
    tried: Callable[..., None], runtime: Caller, raw: bytes
) -> None:
    def kept(sent: Any, told: Any) -> None:
        exported = runtime.get(f"processes/{told['id']}/journal")
        _same_file(sent, json.loads(b"".join(exported)))

    tried("POST", "import", raw, kept)
