"""Inputs that are wrong, the answer to each, and that nothing of them is kept (reliability
§3).
"""

from __future__ import annotations

import json

import pytest

from processes.journal.canonical import step_key
from tests.processes.api.callers import PROBLEM, code, everything, step

OPEN = "processes"
STEPS = "processes/runs/steps"
SUSPEND = "processes/runs/suspend"
VERBS = ("steps", "suspend", "resume", "complete", "fail", "lease", "heartbeat", "release")


def opening(**fields):
    return {"objective": "Tidy"} | fields


BAD_IDS = [
    "a" * 81, "", ".", "..", "a..b", "...", ".hidden", "abc.", "abc...", "abc\n", " ok ", "ok ",
    "a/b", "a%2fb", "a\\b", "a:b", "a\tb", "id\u0660", "é", "ａ", "😀", "a\u200bb", "~", "*",
    "a b",
]  # fmt: skip
BODIES = [
    # path, body, status, code, pointer
    *((OPEN, opening(id=one), 422, "invalid_process_id", "/id") for one in BAD_IDS),
    *((OPEN, opening(id=one), 422, "invalid_request", "/id") for one in (1, True, ["a"], {})),
    (OPEN, {}, 422, "invalid_request", "/objective"),
    *((OPEN, {"objective": one}, 422, "invalid_request", "/objective")
      for one in (None, 5, True, ["a"], {"a": 1}, "x" * 8001)),
    *((OPEN, {"objective": one}, 422, "objective_empty", "/objective")
      for one in ("", " \t\n", "\u3164", "\u200b\ufeff", "\u2028", "\U000e0100", "\x1b\x7f")),
    (OPEN, opening(cycle_id=5), 422, "invalid_request", "/cycle_id"),
    (OPEN, opening(cycle_id="x" * 201), 422, "invalid_request", "/cycle_id"),
    (OPEN, opening(start="yes"), 422, "invalid_request", "/start"),
    (OPEN, opening(start=1), 422, "invalid_request", "/start"),
    *((OPEN, one, 422, "invalid_request", None)
      for one in ([], [opening()], "x", 5, None, True)),
    *((STEPS, step(success=one), 422, "invalid_request", "/success")
      for one in ("yes", "true", 1, 0, "on", None, [])),
    (STEPS, {"tool": "a", "args": {}}, 422, "invalid_request", "/success"),
    (STEPS, {"tool": "a", "success": True}, 422, "invalid_request", "/args"),
    *((STEPS, step(tool=one), 422, "invalid_tool", "/tool")
      for one in ("", "a\nb", "a\rb", "a\tb", "a\x7fb", "a\x85b", "a\u2028b", "x" * 201)),
    (STEPS, step(tool=5), 422, "invalid_request", "/tool"),
    *((STEPS, step(args=one), 422, "invalid_args", "/args") for one in (1, 1.5, True, None)),
    (STEPS, step(args="x" * 65_537), 422, "invalid_args", "/args"),
    (STEPS, step(args="é" * 32_769), 422, "invalid_args", "/args"),
    (STEPS, step(args={"a": "x" * 65_536}), 422, "invalid_args", "/args"),
    (STEPS, step(args={"a": 10**399}), 422, "invalid_args", "/args"),
    *((STEPS, step(idempotency_key=one), 422, "idempotency_key_mismatch", "/idempotency_key")
      for one in ("0" * 64, "", step_key("run", '{"n":1}').upper(),
                  step_key("run", '{"n":1}')[:63], step_key("run", '{"n":1}') + "\n")),
    (STEPS, step(idempotency_key=5), 422, "invalid_request", "/idempotency_key"),
    (STEPS, step(result_digest=None), 422, "invalid_request", "/result_digest"),
    (STEPS, step(result_digest=5), 422, "invalid_request", "/result_digest"),
    (STEPS, step(effect="exactly_once"), 422, "invalid_request", "/effect"),
    (STEPS, step(attempt_id=""), 422, "invalid_request", "/attempt_id"),
    (STEPS, step(attempt_id="x" * 256), 422, "invalid_request", "/attempt_id"),
    (STEPS, step(lease_epoch=-1), 422, "invalid_request", "/lease_epoch"),
    (STEPS, step(lease_epoch="1"), 422, "invalid_request", "/lease_epoch"),
    (STEPS, step(artifacts="a"), 422, "invalid_request", "/artifacts"),
    (STEPS, step(artifacts=[5]), 422, "invalid_request", "/artifacts/0"),
    (STEPS, step(artifacts=["a", "a"]), 422, "invalid_artifact_path", "/artifacts"),
    *((STEPS, step(artifacts=["ok", one]), 422, "invalid_artifact_path", "/artifacts/1")
      for one in ("../x", "/x", "a\\b", "a//b", "a/", "./a", "", "x" * 513, "x ", "x.", "NUL",
                  "a\x01b", "~/x", "C:/x", "file:///x", "..", "a/../b", "a/.", "//h/s")),
    *((SUSPEND, {"reason": one}, 422, "invalid_suspend_reason", "/reason")
      for one in ("timeout", "opened", "", "Guard", None, 5)),
    (SUSPEND, {}, 422, "invalid_request", "/reason"),
    *((SUSPEND, {"reason": "ask_user", "question": one}, 422, "question_required", "/question")
      for one in (None, "", "  \n", "\u3164")),
    (SUSPEND, {"reason": "ask_user"}, 422, "question_required", "/question"),
    (SUSPEND, {"reason": "guard", "question": "x" * 8001}, 422, "invalid_request", "/question"),
    (SUSPEND, {"reason": "guard", "detail": "x" * 2001}, 422, "invalid_request", "/detail"),
    (SUSPEND, {"reason": "guard", "options": ["a"]}, 422, "question_required", "/options"),
    (SUSPEND, {"reason": "guard", "hold": "no"}, 422, "invalid_request", "/hold"),
    (SUSPEND, {"reason": "guard", "assignees": ["mia", "mia"]}, 422, "invalid_request",
     "/assignees"),
    (SUSPEND, {"reason": "guard", "ask_key": ""}, 422, "invalid_request", "/ask_key"),
    *((SUSPEND, {"reason": "ask_user", "question": "?", "options": one}, 422, "invalid_request",
       None) for one in ([], [""], ["x" * 501], ["a"] * 51, "ab", [1])),
    (SUSPEND, {"reason": "ask_user", "question": "?",
               "proposed_action": {"tool": "a", "args": {}}}, 422, "action_not_offered",
     "/proposed_action"),
    (SUSPEND, {"reason": "guard", "proposed_action": {"tool": "a"}}, 422, "invalid_request",
     "/proposed_action/args"),
    (SUSPEND, {"reason": "guard", "proposed_action": {"tool": "a", "args": {}, "x": 1}}, 422,
     "extra_field", "/proposed_action/x"),
    ("processes/runs/complete", {"final_text": "x" * 8001}, 422, "invalid_request",
     "/final_text"),
    ("processes/runs/fail", {"error": 5}, 422, "invalid_request", "/error"),
    ("processes/opened/steps", step(), 409, "not_running", None),
    ("processes/opened/suspend", {"reason": "guard"}, 409, "not_running", None),
    ("processes/opened/complete", {}, 409, "not_running", None),
    ("processes/opened/fail", {}, 409, "not_running", None),
    ("processes/ended/steps", step(), 409, "process_terminal", None),
    ("processes/ended/suspend", {"reason": "guard"}, 409, "process_terminal", None),
    ("processes/ended/fail", {}, 409, "process_terminal", None),
    ("processes/none/steps", step(), 404, "process_not_found", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "body", "status", "expected", "pointer"),
    BODIES,
    ids=lambda value: ascii(value)[:50],
)
def test_a_body_that_is_wrong_is_refused_with_a_pointer(
    runs, path, body, status, expected, pointer
):
    before = everything()
    raw = json.dumps(body).encode()
    reply = runs.send("POST", path, raw)
    assert code(reply) == (status, expected)
    if pointer is not None:
        assert reply.json()["errors"][0]["pointer"] == pointer
    assert everything() == before


GOOD = [
    (OPEN, opening(id="a" * 80)), (OPEN, opening(id="-rf")), (OPEN, opening(id="--help")),
    (OPEN, opening(id="A.b_c-9")), (OPEN, opening(id=None)), (OPEN, {"objective": "x" * 8000}),
    (OPEN, {"objective": "😀" * 8000}), (STEPS, step(args="run:ls -la")),
    (STEPS, step(args="")),
    (STEPS, step(args="x" * 65_536)), (STEPS, step(result_digest="😀" * 2000)),
    (STEPS, step(result_digest="e\u0301" * 1000)), (STEPS, step(args={"a": 2**53 + 1})),
    (STEPS, step(args={"a": 2**70})), (STEPS, step(args={"a": 1e16, "b": 1e-7})),
    (STEPS, step(args=[[[]]])), (STEPS, step(tool="x" * 200)), (STEPS, step(tool="раypal")),
    (STEPS, step(idempotency_key=step_key("run", '{"n":1}'))),
    (STEPS, step(artifacts=[f"{n}/" + "x" * (510 - len(str(n))) for n in range(3)])),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body"), GOOD, ids=lambda value: ascii(value)[:50])
def test_what_is_at_its_bound_is_taken_as_it_is(runs, path, body):
    reply = runs.post(path, body)
    assert reply.status_code == 201
    for name in ("objective", "tool", "result_digest", "artifacts", "id"):
        if body.get(name) is not None:
            assert reply.json()[name] == body[name]


def test_words_beside_a_held_stop_are_kept(runs):
    stop = runs.ask("runs", reason="guard", question="May I?")
    assert stop["question"] == "May I?"


def test_numbers_come_back_as_the_document_prints_them(runs):
    raw = b'{"tool":"t","success":true,"args":{"z":9007199254740993,"y":1e16,"x":-0,"w":1.0}}'
    stored = runs.send("POST", STEPS, raw).json()
    assert stored["args"] == '{"w":1.0,"x":-0.0,"y":1e+16,"z":9007199254740993}'
    keys = [runs.send("POST", STEPS, b'{"tool":"n","success":true,"args":[%b]}' % one).json()
            for one in (b"1", b"1.0", b"1e0")]  # fmt: skip
    assert [key["skipped"] for key in keys] == [False, False, True]
    for text in ("\u00e9", "e\u0301"):
        assert runs.post(STEPS, step(tool="t", args={"a": text})).status_code == 201
    mixed = runs.send("POST", STEPS, b'{"tool":"t","success":true,'
                      b'"args":{"\\ud83d\\ude00":2,"\\ufb33":1}}').json()  # fmt: skip
    assert mixed["args"] == '{"\ufb33":1,"😀":2}'


NO_IDS = [
    "a%2fb", "a%00b", "..", "%2e%2e", "a..b", ".a", "a.", "a" * 81, "a%0A", "%C3%A9", "a%20b",
    "a%5Cb", "%F0%9F%98%80", "%FF",
]  # fmt: skip


@pytest.mark.parametrize("one", NO_IDS)
def test_an_id_that_is_none_is_no_address(runs, one):
    for verb in VERBS:
        reply = runs.post(f"processes/{one}/{verb}", {})
        assert (reply.status_code, reply["Content-Type"]) == (404, PROBLEM)
