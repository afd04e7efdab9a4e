"""The whole record, bounded: a long history ends in `truncated` and a link."""

from __future__ import annotations

import pytest

from tests.processes.api.callers import code, step


@pytest.fixture
def path(runtime):
    return f"processes/{runtime.open()['id']}"


def seqs(record):
    return [int(one["args"].split(":")[1][:-1]) for one in record["steps"]]


def test_a_short_record_is_whole(runtime, path):
    runtime.post(f"{path}/steps", [step(n) for n in range(3)])
    record = runtime.get(path).json()
    assert seqs(record) == [0, 1, 2]
    assert (record["truncated"], record["steps_next"]) == (False, None)
    names = {"tool", "args", "success", "result_digest", "artifacts", "idempotency_key"}
    assert set(record["steps"][0]) == names


def test_the_last_steps_alone_are_said_to_be_a_part(runtime, path):
    runtime.post(f"{path}/steps", [step(n) for n in range(5)])
    record = runtime.get(f"{path}?steps=tail:2").json()
    assert (seqs(record), record["truncated"]) == ([3, 4], True)
    assert record["steps_used"] == 5
    assert runtime.get(f"{path}?steps=tail:5").json()["truncated"] is False


def test_more_than_a_thousand_steps_go_on_behind_the_link(runtime, path):
    for start in range(0, 1050, 50):
        runtime.post(f"{path}/steps", [step(n) for n in range(start, start + 50)])
    record = runtime.get(path).json()
    assert (len(record["steps"]), record["truncated"]) == (1000, True)
    assert record["steps_next"] == f"/api/v1/{path}/steps?after=1000"
    rest = runtime.get(record["steps_next"]).json()
    assert [one["seq"] for one in rest["results"]] == list(range(1001, 1051))


def test_more_than_a_mebibyte_goes_on_behind_the_link(runtime, path):
    for n in range(20):
        runtime.post(f"{path}/steps", step(args=f"{n}" + "x" * 65_000))
    record = runtime.get(path).json()
    assert len(record["steps"]) == 16
    assert record["steps_next"].endswith("after=16")
    assert len(runtime.get(path).content) < 1_200_000


@pytest.mark.parametrize(
    "value", ["", "tail", "tail:", "tail:0", "tail:1001", "tail:x", "head:1"]
)
def test_an_odd_part_is_refused(runtime, path, value):
    assert code(runtime.get(f"{path}?steps={value}")) == (422, "invalid_request")
