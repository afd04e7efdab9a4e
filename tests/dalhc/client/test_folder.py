"""The contract on plain files, without a server: each verb, and what none of them does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from dalhc.client import JournalFolder
from dalhc.clock import at
from dalhc.problems import Problem
from processes.journal import errors, limits
from tests import goldens


@pytest.fixture
def there(tmp_path):
    return JournalFolder(tmp_path / "journals", environ={})


@pytest.fixture
def running(there):
    """A running process called `a`."""
    there.open_process("Tidy", id="a")
    there.resume_at("a")
    return there


def test_a_run_from_its_opening_to_its_end(there):
    with at(1_000):
        opened = there.open_process("Tidy", id="a", cycle_id="208")
    assert (opened.state, opened.suspend_reason, opened.created_at_ms) == (
        "suspended", "opened", 1_000,
    )  # fmt: skip
    assert there.resume_at("a").result == "continue"
    first = there.append_step_at("a", "run", {"b": 1, "a": 2}, True, "ok", ["out/a.txt"])
    assert (first.step.args, first.skipped) == ('{"a":2,"b":1}', False)
    there.suspend_at("a", "ask_user", "Which?")
    assert there.next_action("a") == there.resume_at("a").result == "needs_answer"
    told = there.resume_at("a", "eu")
    assert (told.result, told.record.principal_answer) == ("continue", "eu")
    assert [(turn.role, turn.content) for turn in told.record.turns] == [
        ("assistant", "Which?"), ("user", "eu"),
    ]  # fmt: skip
    assert there.complete("a").state == "completed"
    assert there.next_action("a") == there.resume_at("a").result == "terminal"
    assert there.read("a").cycle_id == "208"
    assert there.ids() == ["a"]


def test_each_step_is_in_the_file_when_its_call_returns(running):
    for number in range(1, 4):
        running.append_step_at("a", "run", {"n": number})
        steps = json.loads((running.root / "a.json").read_bytes())["steps"]
        assert [step["args"] for step in steps] == [
            f'{{"n":{n}}}' for n in range(1, number + 1)
        ]


def test_a_success_is_recorded_once_and_failures_block_nothing(running):
    assert not running.append_step_at("a", "run", "ls", False).skipped
    assert not running.append_step_at("a", "run", "ls", True, "ok").skipped
    before = (running.root / "a.json").stat()
    for success in (True, False):
        again = running.append_step_at("a", "run", "ls", success, "other")
        assert again.skipped and again.step.result_digest == "ok"
    assert (running.root / "a.json").stat().st_mtime_ns == before.st_mtime_ns
    assert running.read("a").steps_used == 2


def test_bounds_are_reported(running):
    paths = [f"out/{number}" for number in range(limits.ARTIFACTS_PER_STEP + 3)]
    told = running.append_step_at("a", "run", "ls", True, "é" * 2_001, paths)
    assert (told.digest_clipped, told.artifacts_dropped) == (True, 3)
    assert len(running.read("a").steps[0].result_digest) == limits.DIGEST_CHARS


@pytest.mark.parametrize(
    ("verb", "problem"),
    [
        (lambda f: f.append_step_at("a", "run", "ls", artifacts=["../x"]),
         errors.InvalidArtifactPath),
        (lambda f: f.append_step_at("a", "a\nb", "ls"), errors.InvalidTool),
        (lambda f: f.append_step_at("a", "run", "ls", idempotency_key="0"),
         errors.IdempotencyKeyMismatch),
        (lambda f: f.suspend_at("a", "ask_user", " "), errors.QuestionRequired),
        (lambda f: f.suspend_at("a", "opened"), errors.InvalidSuspendReason),
        (lambda f: f.resume_at("a", "\u3164"), errors.AnswerEmpty),
        (lambda f: f.resume_at("a", "eu"), errors.AlreadyAnswered),
        (lambda f: f.open_process("Tidy", id="A"), errors.ProcessExists),
        (lambda f: f.open_process(" "), errors.ObjectiveEmpty),
        (lambda f: f.read("b"), errors.ProcessNotFound),
        (lambda f: f.complete("b"), errors.ProcessNotFound),
        (lambda f: f.complete("a/b"), errors.InvalidProcessId),
    ],
)  # fmt: skip
def test_a_refusal_writes_nothing(running, verb, problem):
    before = (running.root / "a.json").read_bytes()
    with pytest.raises(problem):
        verb(running)
    assert os.listdir(running.root) == ["a.json"]
    assert (running.root / "a.json").read_bytes() == before


def test_an_answer_is_for_a_question(there):
    there.open_process("Tidy", id="a")
    with pytest.raises(errors.NothingAsked):
        there.resume_at("a", "eu")


def test_a_replayed_answer_stop_or_end_is_the_same_reply(running):
    running.suspend_at("a", "ask_user", "Which?")
    before = running.read("a")
    assert running.suspend_at("a", "ask_user", "Which?") == before
    with pytest.raises(errors.NotRunning):
        running.suspend_at("a", "guard")
    answered = running.resume_at("a", "eu").record
    assert running.resume_at("a", "eu").record == answered
    failed = running.fail("a")
    assert running.fail("a") == failed
    with pytest.raises(errors.ProcessTerminal):
        running.complete("a")


@pytest.mark.parametrize("path", goldens.REFUSED, ids=lambda path: path.stem)
def test_K12_a_file_nobody_may_guess_at_keeps_its_bytes(there, path):
    there.root.mkdir()
    shutil.copy(path, there.root)
    for verb in (there.read, there.resume_at, there.complete, there.next_action):
        with pytest.raises(Problem) as refused:
            verb(path.stem)
        assert refused.value.code in {path.stem, "invalid_process_id"}
    assert (there.root / path.name).read_bytes() == path.read_bytes()
    assert there.ids() == [path.stem]


def test_a_file_under_anothers_name_is_no_journal_of_that_name(there):
    there.root.mkdir()
    shutil.copy(goldens.JOURNALS / "running.json", there.root / "other.json")
    with pytest.raises(errors.CorruptRecord):
        there.read("other")


def test_K11_what_a_crash_left_is_swept(running):
    (running.root / ".a.json.tmp").write_text("half")
    running.sweep()
    assert os.listdir(running.root) == ["a.json"]


def test_a_minted_id_is_a_file_name(there):
    assert there.open_process("Tidy").id in there.ids()


def test_two_programs_append_to_one_process_and_lose_nothing(running):
    code = (
        "import sys; from dalhc.client import JournalFolder; f = JournalFolder(sys.argv[1])\n"
        "for n in range(25): f.append_step_at('a', 'run', {'n': n, 'by': sys.argv[2]});"
        " f.append_step_at('a', 'run', {'both': n})"
    )
    command = [sys.executable, "-c", code, str(running.root)]
    programs = [subprocess.Popen([*command, name]) for name in ("one", "two")]
    assert [program.wait(120) for program in programs] == [0, 0]
    record = running.read("a")
    assert record.steps_used == len(record.steps) == 75
    assert len({step.idempotency_key for step in record.steps}) == 75


def test_it_needs_no_django_and_no_database():
    code = (
        "import sys; from dalhc.client import JournalFolder\n"
        "bad = {'django', 'rest_framework', 'sqlite3'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
