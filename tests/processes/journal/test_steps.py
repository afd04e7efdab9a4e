"""A step is kept within its bounds, and what the bounds cost is said."""

from __future__ import annotations

import pytest

from processes.journal.commands import AppendStep
from processes.journal.record import ProcessStep
from processes.journal.steps import is_replay, is_success_repeated, keep


def command(**fields: object) -> AppendStep:
    return AppendStep.model_validate({"tool": "run", "args": {}, "success": True} | fields)


@pytest.mark.parametrize(
    ("digest", "length", "clipped"),
    [
        ("", 0, False),
        ("x" * 1_999, 1_999, False),
        ("x" * 2_000, 2_000, False),
        ("x" * 2_001, 2_000, True),
        ("\U0001f600" * 2_000, 2_000, False),
        ("\U0001f600" * 2_001, 2_000, True),
        ("e\u0301" * 1_000, 2_000, False),
        ("x" * 10_000_000, 2_000, True),
    ],
)
def test_a_digest_is_clipped_to_two_thousand_characters(digest, length, clipped):
    kept = keep(command(result_digest=digest))
    assert (len(kept.result_digest), kept.digest_clipped) == (length, clipped)
    assert digest.startswith(kept.result_digest)


def test_a_clip_falls_between_a_base_and_its_mark_by_code_point():
    kept = keep(command(result_digest="x" * 1_999 + "e\u0301"))
    assert kept.result_digest == "x" * 1_999 + "e"
    assert kept.digest_clipped


def test_a_clipped_digest_is_utf_8():
    kept = keep(command(result_digest="x" * 1_999 + "\U0001f600\U0001f600"))
    assert kept.result_digest.encode().decode() == "x" * 1_999 + "\U0001f600"


@pytest.mark.parametrize(("sent", "dropped"), [(0, 0), (32, 0), (33, 1), (100, 68)])
def test_the_first_thirty_two_artifacts_are_kept_in_order(sent, dropped):
    paths = tuple(f"f/{n}" for n in range(sent))
    kept = keep(command(artifacts=paths))
    assert kept.artifacts == paths[:32]
    assert kept.artifacts_dropped == dropped


@pytest.mark.parametrize("later", [True, False])
def test_a_recorded_success_makes_whatever_comes_a_replay(later):
    again = command(success=later)
    assert is_replay(again, True, again.key)


def test_a_recorded_failure_and_another_key_are_no_replay():
    again = command()
    assert not is_replay(again, False, again.key)
    assert not is_replay(again, True, command(args={"b": 1}).key)


def recorded(key: str, success: bool) -> ProcessStep:
    return ProcessStep(tool="run", args="", success=success, idempotency_key=key)


def test_only_a_second_success_of_a_key_is_a_repetition():
    failed, done = recorded("a", False), recorded("a", True)
    assert not is_success_repeated([failed, failed, done, recorded("b", True), failed])
    assert is_success_repeated([done, failed, done])
    assert not is_success_repeated([])
