"""The journal file: read with its aliases, written as DAL writes it, never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dalhc.problems import Problem
from processes.journal import errors, files
from processes.journal.canonical import step_key
from processes.journal.parse import DuplicateKey, LoneSurrogate, NotJson, TooDeep

GOLDEN = """{
  "schema_version": 1,
  "id": "run-1",
  "objective": "Résumé\\nof the week",
  "state": "suspended",
  "suspend_reason": "ask_user",
  "question": "Which region? 日本",
  "principal_answer": null,
  "steps_used": 1,
  "cycle_id": "c1",
  "cycle_phase": null,
  "objective_id": null,
  "objective_class": null,
  "objective_due_bucket": null,
  "created_at_ms": 1700000000000,
  "updated_at_ms": 1700000000001,
  "steps": [
    {
      "tool": "run",
      "args": "{\\"cmd\\":\\"ls -la\\"}",
      "success": true,
      "result_digest": "ok",
      "artifacts": [
        "out/a.txt"
      ],
      "idempotency_key": "d89c21c688932c47fa7474699adc4aba44d188958f5135781964342b025dc358"
    }
  ],
  "turns": [
    {
      "role": "assistant",
      "content": "Which?"
    },
    {
      "role": "user",
      "content": "eu"
    }
  ]
}
"""
LEAST: dict[str, Any] = {
    "schema_version": 1, "id": "run-1", "objective": "Tidy", "state": "running",
    "created_at_ms": 5, "updated_at_ms": 6,
}  # fmt: skip
STEP: dict[str, Any] = {"tool": "run", "args": "ls", "success": True}


def load(**fields: Any) -> tuple[files.ProcessRecord, files.Extra]:
    return files.load(json.dumps(LEAST | fields).encode())


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in LEAST.items() if key != name}


def test_a_file_is_pretty_json_two_spaces_utf_8_unescaped():
    record, extra = files.load(GOLDEN.encode())
    assert files.dump(record, extra) == GOLDEN


def test_optional_values_may_be_null_or_absent():
    absent, _ = files.load(json.dumps(LEAST).encode())
    names = set(files.ProcessRecord.model_fields) - set(LEAST) - {"steps_used"}
    null, _ = load(**dict.fromkeys(names), steps_used=None)
    assert absent == null
    assert (absent.steps, absent.turns, absent.steps_used) == ((), (), 0)


HEAD_ALIASES = [
    ("schema_version", "version"), ("id", "process_id"),
    ("created_at_ms", "created_at"), ("created_at_ms", "created_ms"),
    ("updated_at_ms", "updated_at"), ("updated_at_ms", "updated_ms"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "alias"), HEAD_ALIASES)
def test_an_alias_of_the_head_is_read(name, alias):
    body = without(name) | {alias: LEAST[name]}
    record, extra = files.load(json.dumps(body).encode())
    assert getattr(record, name) == LEAST[name]
    assert extra["head"] == {}


@pytest.mark.parametrize("alias", ["suspension_reason", "reason"])
def test_an_alias_of_the_reason_is_read(alias):
    assert load(state="suspended", **{alias: "guard"})[0].suspend_reason == "guard"


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("tool", "tool_name"), ("tool", "name"), ("args", "canonical_args"), ("args",
            "arguments"),
        ("success", "ok"), ("result_digest", "digest"), ("artifacts", "artifact_paths"),
    ],
)  # fmt: skip
def test_an_alias_of_a_step_is_read(name, alias):
    step = STEP | {"result_digest": "d", "artifacts": ["a"]}
    value = step.pop(name)
    record, extra = load(steps=[step | {alias: value}])
    assert record.steps[0].model_dump(mode="json")[name] == value
    assert extra["steps"] == {}


@pytest.mark.parametrize(("name", "alias"), HEAD_ALIASES)
def test_a_name_and_its_alias_that_disagree_are_refused(name, alias):
    other = LEAST[name] + (1 if isinstance(LEAST[name], int) else "x")
    with pytest.raises(errors.CorruptRecord, match="disagree"):
        load(**{alias: other})
    assert load(**{alias: LEAST[name]})[0].id == "run-1"


@pytest.mark.parametrize("alias", ["created_at", "updated_at"])
def test_a_time_in_words_is_not_an_alias_but_a_key_of_its_own(alias):
    record, extra = load(**{alias: "2026-09-26T08:00:00Z"})
    assert (record.created_at_ms, record.updated_at_ms) == (5, 6)
    assert extra["head"] == {alias: "2026-09-26T08:00:00Z"}


def test_a_missing_key_is_computed():
    [step] = load(steps=[STEP])[0].steps
    assert step.idempotency_key == step_key("run", "ls")


def test_unknown_keys_are_kept_and_written_back_where_they_stood():
    body = LEAST | {
        "priority": {"b": [1, None]}, "empty": None,
        "steps": [STEP, STEP | {"args": "b", "cost": 0.25, "none": None}],
        "turns": [{"role": "user", "content": "eu", "lang": "fr", "none": None}],
    }  # fmt: skip
    record, extra = files.load(json.dumps(body).encode())
    again = json.loads(files.dump(record, extra))
    assert again["priority"] == {"b": [1, None]}
    assert again["empty"] is None
    assert again["steps"][1]["cost"] == 0.25
    assert "none" in again["steps"][1] and again["steps"][1]["none"] is None
    assert again["turns"][0]["lang"] == "fr" and "none" in again["turns"][0]
    assert "cost" not in again["steps"][0]


def test_extra_keys_of_turns_follow_their_number_when_the_oldest_were_dropped():
    record, _ = load(turns=[{"role": "user", "content": "b"}])
    assert '"lang": "fr"' in files.dump(record, {"turns": {"3": {"lang": "fr"}}}, first_turn=3)
    assert "lang" not in files.dump(record, {"turns": {"1": {"lang": "fr"}}}, first_turn=3)


BAD: list[tuple[dict[str, Any], type[Problem]]] = [
    *(({"state": state}, errors.UnknownState) for state in ("paused", "Running", "", None, 5)),
    *(({"schema_version": version}, errors.UnsupportedSchemaVersion) for version in (0, 2, "1",
        True, None)),
    ({"state": "suspended", "suspend_reason": "timeout"}, errors.InvalidSuspendReason),
    ({"state": "suspended", "reason": "timeout"}, errors.InvalidSuspendReason),
    ({"state": "suspended"}, errors.CorruptRecord),
    ({"suspend_reason": "guard"}, errors.CorruptRecord),
    ({"state": "suspended", "suspend_reason": "ask_user"}, errors.QuestionRequired),
    ({"state": "suspended", "suspend_reason": "ask_user", "question": " "},
        errors.QuestionRequired),
    *(({"id": bad}, errors.InvalidProcessId) for bad in ("a..b", "", ".a", "a/b", 5, "x" * 81,
        "CON", "nul.txt")),
    *(({"objective": bad}, errors.ObjectiveEmpty) for bad in ("", " \n", None, 5)),
    ({"objective": "x" * 8_001}, errors.CorruptRecord),
    ({"question": "x" * 8_001}, errors.CorruptRecord),
    ({"principal_answer": 5}, errors.CorruptRecord),
    ({"principal_answer": "x" * 8_001}, errors.CorruptRecord),
    ({"cycle_id": "x" * 201}, errors.CorruptRecord),
    *(({"created_at_ms": bad}, errors.CorruptRecord) for bad in (0, -1, 2**63,
        9_999_999_999_999_999, "5", 5.5, True, None)),
    *(({"steps_used": bad}, errors.CorruptRecord) for bad in (-1, "3", 1.5, True)),
    *(({"steps": bad}, errors.CorruptRecord) for bad in ({}, "x", [1], [[]])),
    *(({"turns": bad}, errors.CorruptRecord) for bad in ({"a": 1}, [None])),
    *(({"turns": [{"role": role, "content": "x"}]},
        errors.CorruptRecord) for role in ("system", "", None)),
    ({"turns": [{"role": "user", "content": "x" * 8_001}]}, errors.CorruptRecord),
    ({"turns": [{"role": "user"}]}, errors.CorruptRecord),
    *(({"steps": [STEP | {"success": bad}]}, errors.CorruptRecord) for bad in ("yes", 1, "on",
        None)),
    ({"steps": [STEP | {"args": {"a": 1}}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"tool": None}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"tool": "x" * 201}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"result_digest": "x" * 2_001}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"args": "x" * 65_537}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"artifacts": "a"}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"artifacts": [f"f{n}" for n in range(33)]}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"artifacts": ["../x"]}]}, errors.InvalidArtifactPath),
    ({"steps": [STEP | {"artifacts": [5]}]}, errors.CorruptRecord),
    ({"steps": [STEP | {"idempotency_key": "0" * 64}]}, errors.IdempotencyKeyMismatch),
    ({"steps": [STEP | {"idempotency_key": step_key("run", "ls").upper()}]},
        errors.IdempotencyKeyMismatch),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "problem"), BAD)
def test_what_is_not_a_record_is_refused_and_never_guessed(fields, problem):
    with pytest.raises(problem):
        load(**fields)


@pytest.mark.parametrize("tool", ["a\nb", "\0", "a\x7f"])
def test_a_tool_name_that_could_forge_another_key_is_refused_in_a_file_too(tool):
    with pytest.raises(Problem):
        load(steps=[STEP | {"tool": tool}])


@pytest.mark.parametrize(
    "name", ["id", "objective", "state", "created_at_ms", "updated_at_ms", "schema_version"]
)
def test_a_record_without_what_it_must_have_is_refused(name):
    with pytest.raises(Problem):
        files.load(json.dumps(without(name)).encode())


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (GOLDEN.encode()[:200], NotJson),
        (b"", NotJson),
        (b"[]", errors.CorruptRecord),
        (b'"text"', errors.CorruptRecord),
        (b'{"id":"a","id":"b"}', DuplicateKey),
        (rb'{"id":"\ud800"}', LoneSurrogate),
        (b'{"a":' * 128 + b"1" + b"}" * 128, TooDeep),
    ],
)
def test_bytes_that_are_no_json_object_are_refused(body, problem):
    with pytest.raises(problem):
        files.load(body)


def test_a_file_may_be_nested_as_deep_as_dal_reads():
    deep = "[" * 126 + "]" * 126
    record, extra = files.load((json.dumps(LEAST)[:-1] + f', "deep": {deep}}}').encode())
    assert json.loads(files.dump(record, extra))["deep"] == json.loads(deep)


def test_a_file_may_count_more_steps_than_it_holds():
    assert load(steps_used=40, steps=[STEP])[0].steps_used == 40
