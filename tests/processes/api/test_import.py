"""One journal file taken in: as it is, or refused with a reason."""

from __future__ import annotations

import json

import pytest

from processes.journal.canonical import step_key
from processes.models import Process, Suspension
from tests.processes.api.callers import code, everything, printed

MINIMAL = {
    "schema_version": 1, "id": "run-1", "objective": "Tidy", "state": "running",
    "created_at_ms": 1_790_000_000_000, "updated_at_ms": 1_790_000_000_001,
}  # fmt: skip
STEP = {"tool": "run", "args": "{}", "success": True, "result_digest": "ok", "artifacts": ["a"]}
ASKING = {"state": "suspended", "suspend_reason": "ask_user", "question": "Which?"}


def test_a_file_is_taken_in_as_this_agents_process(runtime, mia):
    reply = runtime.post("import", MINIMAL | {"steps": [STEP], "steps_used": 4})
    assert (reply.status_code, reply["Location"]) == (201, "/api/v1/processes/run-1")
    record = reply.json()
    assert (record["agent"], record["state"], record["steps_used"]) == ("tidier", "running", 4)
    assert record["steps"][0]["idempotency_key"] == step_key("run", "{}")
    assert mia.get("processes/run-1/events").json()["results"][0]["kind"] == "import"


def test_the_same_bytes_again_change_nothing(runtime):
    runtime.post("import", MINIMAL)
    before = everything()
    assert runtime.post("import", MINIMAL).status_code == 200
    assert code(runtime.post("import", MINIMAL | {"objective": "x"})) == (409, "process_exists")
    assert code(runtime.post("import", MINIMAL | {"id": "RUN-1"})) == (409, "process_exists")
    assert everything() == before


def test_what_goes_out_comes_in_again_without_loss(runtime, other):
    text = MINIMAL | {
        "id": "x",
        "steps": [STEP | {"odd": 1}],
        "turns": [],
        "future": {"a": [1]},
    }
    runtime.post("import", text)
    out = runtime.get("processes/x/journal").getvalue()
    assert json.loads(out)["future"] == {"a": [1]}
    assert json.loads(out)["steps"][0]["odd"] == 1
    moved = out.replace(b'"id": "x"', b'"id": "y"')
    assert other.send("POST", "import", moved).status_code == 201
    assert other.get("processes/y/journal").getvalue() == moved


def test_a_question_in_a_file_stands_in_the_inbox_and_is_answered(runtime, mia):
    runtime.post("import", MINIMAL | ASKING)
    [stop] = mia.get("suspensions").json()["results"]
    assert (stop["process_id"], stop["question"]) == ("run-1", "Which?")
    mia.decide(stop, answer="eu")
    assert runtime.post("processes/run-1/resume").json()["decision"]["answer"] == "eu"


REFUSED = [
    ({"state": "paused"}, "unknown_state"),
    ({"state": "Running"}, "unknown_state"),
    ({"state": ""}, "unknown_state"),
    ({"state": None}, "unknown_state"),
    ({"state": []}, "unknown_state"),
    ({"schema_version": 2}, "unsupported_schema_version"),
    ({"schema_version": "1"}, "unsupported_schema_version"),
    ({"schema_version": True}, "unsupported_schema_version"),
    ({"suspend_reason": "timeout"}, "invalid_suspend_reason"),
    ({"suspend_reason": "guard"}, "corrupt_record"),
    ({"state": "suspended"}, "corrupt_record"),
    ({"state": "suspended", "suspend_reason": "ask_user"}, "question_required"),
    ({"id": ""}, "invalid_process_id"),
    ({"id": "a/b"}, "invalid_process_id"),
    ({"id": "../x"}, "invalid_process_id"),
    ({"id": "a\n"}, "invalid_process_id"),
    ({"id": "a" * 81}, "invalid_process_id"),
    ({"id": 5}, "invalid_process_id"),
    ({"id": "CON"}, "invalid_process_id"),
    ({"id": "nul.txt"}, "invalid_process_id"),
    ({"id": "lpt9.log"}, "invalid_process_id"),
    ({"objective": " "}, "objective_empty"),
    ({"objective": 5}, "objective_empty"),
    ({"objective": "x" * 8001}, "corrupt_record"),
    ({"created_at_ms": -1}, "corrupt_record"),
    ({"created_at_ms": 0}, "corrupt_record"),
    ({"created_at_ms": 2**63}, "corrupt_record"),
    ({"created_at_ms": 1.5}, "corrupt_record"),
    ({"updated_at_ms": 9_999_999_999_999_999}, "corrupt_record"),
    ({"updated_at_ms": None}, "corrupt_record"),
    ({"created_at_ms": "5"}, "corrupt_record"),
    ({"steps_used": -1}, "corrupt_record"),
    ({"steps_used": "3"}, "corrupt_record"),
    ({"steps_used": 2**31}, "corrupt_record"),
    ({"steps_used": 2**70}, "corrupt_record"),
    ({"steps": {}}, "corrupt_record"),
    ({"steps": [5]}, "corrupt_record"),
    ({"steps": [STEP, STEP]}, "corrupt_record"),
    ({"steps": [STEP | {"success": "yes"}]}, "corrupt_record"),
    ({"steps": [STEP | {"args": {}}]}, "corrupt_record"),
    ({"steps": [STEP | {"tool": "a\nb"}]}, "corrupt_record"),
    ({"steps": [STEP | {"result_digest": "x" * 2001}]}, "corrupt_record"),
    ({"steps": [STEP | {"artifacts": ["../x"]}]}, "invalid_artifact_path"),
    ({"steps": [STEP | {"artifacts": ["a"] * 33}]}, "invalid_artifact_path"),
    ({"steps": [STEP | {"artifacts": [f"{n}" for n in range(33)]}]}, "corrupt_record"),
    ({"steps": [STEP | {"idempotency_key": "0" * 64}]}, "idempotency_key_mismatch"),
    ({"turns": [{"role": "system", "content": "x"}]}, "corrupt_record"),
    ({"turns": [{"role": "user"}]}, "corrupt_record"),
    ({"turns": [{"role": "user", "content": "x" * 8001}]}, "corrupt_record"),
    ({"cycle_id": "x" * 201}, "corrupt_record"),
    ({"cycle_id": 5}, "corrupt_record"),
]


@pytest.mark.parametrize(("change", "expected"), REFUSED, ids=lambda value: repr(value)[:60])
def test_a_file_that_is_not_a_record_is_refused_and_not_guessed(runtime, change, expected):
    reply = runtime.post("import", MINIMAL | change)
    assert code(reply) == (422, expected)
    assert not Process.objects.exists() and not Suspension.objects.exists()


@pytest.mark.parametrize(
    ("raw", "status", "expected"),
    [
        (b" ", 400, "not_json"), (b"[]", 422, "corrupt_record"),
        (b"null", 422, "corrupt_record"),
        (b"{", 400, "not_json"), (b'{"id":"a","id":"b"}', 400, "duplicate_key"),
        (b'{"a":"\\ud800"}', 400, "lone_surrogate"), (b'{"a":"\\u0000"}', 422, "nul"),
        (b"\xef\xbb\xbf{}", 400, "not_json"), (b"\xff", 400, "not_json"),
        (b"[" * 128 + b"]" * 128, 400, "too_deep"),
        (printed(MINIMAL | {"x": "y" * (1024 * 1024)}), 413, "too_large"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_a_file_that_is_not_json_is_refused(runtime, raw, status, expected):
    assert code(runtime.send("POST", "import", raw)) == (status, expected)
    assert not Process.objects.exists()


def test_a_file_may_be_deeper_than_a_request(runtime):
    odd: object = 1
    for _ in range(100):
        odd = [odd]
    assert runtime.post("import", MINIMAL | {"odd": odd}).status_code == 201


def test_a_file_of_a_mebibyte_is_taken(runtime):
    filler = "y" * (1024 * 1024 - len(printed(MINIMAL | {"x": ""})))
    assert runtime.post("import", MINIMAL | {"x": filler}).status_code == 201
