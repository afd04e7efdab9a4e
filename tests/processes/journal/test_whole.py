"""A whole journal goes through memory and back without a loss."""

from __future__ import annotations

import json

import pytest

from dalhc.problems import Problem
from processes.journal import errors, limits, rules, whole
from processes.journal.record import ProcessStep, State
from tests import goldens


@pytest.mark.parametrize("path", goldens.GOOD, ids=lambda path: path.stem)
def test_F18_F19_a_golden_file_is_written_back_as_it_was(path):
    text = path.read_bytes()
    found = whole.load(text)
    if path.stem in goldens.RESPELLED:
        again = whole.load(found.text())
        assert again == found
        assert whole.load(again.text()).text() == found.text()
    else:
        assert found.text() == text


@pytest.mark.parametrize("path", goldens.REFUSED, ids=lambda path: path.stem)
def test_K07_K12_R21_a_file_nobody_may_guess_at_is_refused_by_name(path):
    with pytest.raises(Problem) as refused:
        whole.load(path.read_bytes())
    assert refused.value.code == path.stem


def test_unknown_keys_survive_verbs():
    found = whole.load(goldens.text("unknown-keys"))
    now = found.moved(rules.resume(found.head, rules.Decided("eu"), 1_790_000_070_000))
    told = json.loads(now.text())
    assert told["model"] == {"name": "m-1", "temperature": 0.2, "big": 3544790567247868102}
    assert told["steps"][0]["elapsed_ms"] == 12
    assert [turn["content"] for turn in told["turns"]] == ["hello", "Which?", "eu"]
    assert told["turns"][0]["lang"] is None and "lang" not in told["turns"][1]


def test_R10_turns_past_the_bound_drop_from_the_old_end_with_what_was_theirs():
    found = whole.load(goldens.text("turns-at-their-bound"))
    now = found.moved(whole.told(found.head, "Enough.", 1_790_000_070_000))
    assert len(now.record.turns) == limits.TURNS
    assert now.record.turns[0].content.startswith("1 ")
    assert (now.record.turns[-1].role, now.record.turns[-1].content) == ("user", "Enough.")
    assert now.record.state is State.FAILED


def test_steps_come_after_those_recorded():
    found = whole.load(goldens.text("running"))
    step = ProcessStep(tool="run", args="new", success=True, idempotency_key="0" * 64)
    now = found.moved(rules.append(found.head, 1_790_000_070_000), step)
    assert now.record.steps == (*found.record.steps, step)
    assert now.record.steps_used == found.record.steps_used + 1
    assert now.record.turns == found.record.turns


def test_a_success_recorded_twice_is_no_journal():
    with pytest.raises(errors.CorruptRecord):
        whole.load((goldens.JOURNALS / "refused" / "corrupt_record.json").read_bytes())
