"""Bodies: strict JSON in UTF-8, bounded, without unknown fields (reliability §3, T19, T20)."""

from __future__ import annotations

import pytest

from tests.processes.api.callers import JSON, code, everything, printed, step

OPEN = "processes"
STEPS = "processes/runs/steps"
SUSPEND = "processes/runs/suspend"


def opening(**fields):
    return {"objective": "Tidy"} | fields


def within(text: bytes) -> bytes:
    """The text as the arguments of a step."""
    return b'{"tool":"t","success":true,"args":' + text + b"}"


RAW = [
    (b" ", 400, "not_json"), (b"{", 400, "not_json"), (b"{}x", 400, "not_json"),
    (b"{'objective':'x'}", 400, "not_json"), (b'{"objective":"x",}', 400, "not_json"),
    (b"objective=x", 400, "not_json"), (b"<a/>", 400, "not_json"),
    (b"\xef\xbb\xbf{}", 400, "not_json"), ("{}".encode("utf-16"), 400, "not_json"),
    (b'{"objective":"\xff"}', 400, "not_json"),
    (b'{"objective":"\xed\xa0\x80"}', 400, "not_json"),
    (b'{"objective":"\xc0\xaf"}', 400, "not_json"), (b'{"objective":"a\nb"}', 400, "not_json"),
    (b'{"objective":"x","objective":"y"}', 400, "duplicate_key"),
    (b'{"objective":"x","\\u006fbjective":"y"}', 400, "duplicate_key"),
    (within(b'{"a":1,"a":2}'), 400, "duplicate_key"),
    (within(b'[{"b":{"a":1,"a":1}}]'), 400, "duplicate_key"),
    (b'{"objective":"\\ud800x"}', 400, "lone_surrogate"),
    (within(b'{"a":"\\udfff"}'), 400, "lone_surrogate"),
    (within(b'{"\\ud800":1}'), 400, "lone_surrogate"),
    (b'{"objective":"a\\u0000b"}', 422, "nul"), (within(b'["\\u0000"]'), 422, "nul"),
    (b'{"objective":"x","\\u0000":1}', 422, "nul"),
    *((within(b"[" + one + b"]"), 400, "not_json")
      for one in (b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"9" * 5000, b"01",
                  b"1.", b".5", b"+1", b"0x1", b"True", b"undefined")),
    (within(b"[" * 65 + b"]" * 65), 400, "too_deep"),
    (within(b"[" * 201 + b"]" * 201), 400, "too_deep"),
    (within(b'{"a":' * 65 + b"1" + b"}" * 65), 400, "too_deep"),
    (within(b"[" + b"[]," * 20_000 + b"1]"), 400, "too_many_parts"),
    (b"[" * 100_000, 400, "too_deep"), (b'{"a":' * 40_000, 400, "too_deep"),
    (b'{"objective":"' + b"x" * (256 * 1024) + b'"}', 413, "too_large"),
    (b" " * (256 * 1024 + 1), 413, "too_large"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "status", "expected"), RAW, ids=lambda value: repr(value)[:44])
def test_bytes_that_are_not_strict_json_are_refused(runs, raw, status, expected):
    before = everything()
    for path in (OPEN, STEPS, SUSPEND, "processes/runs/complete"):
        assert code(runs.send("POST", path, raw)) == (status, expected)
    assert everything() == before


def test_arguments_63_deep_within_a_body_are_the_deepest(runs):
    assert runs.send("POST", STEPS, within(b"[" * 63 + b"]" * 63)).status_code == 201
    assert code(runs.send("POST", STEPS, within(b"[" * 64 + b"]" * 64))) == (400, "too_deep")
    brackets = printed(step(result_digest="[" * 500))
    assert runs.send("POST", STEPS, brackets).status_code == 201


def test_a_hundred_thousand_keys_are_refused_quickly(runs):
    keys = b",".join(b'"%x":1' % n for n in range(25_000))
    reply = runs.send("POST", STEPS, b"{" + keys + b"}")
    assert code(reply) in {(413, "too_large"), (400, "too_many_parts")}
    assert len(reply.content) < 8_000


EXTRA = [
    "rev", "seq", "steps_used", "created_ms", "created_at_ms", "owner", "state", "agent",
    "principal_answer", "approved", "approved_by", "is_staff", "decided", "held", "answer",
    "__proto__", "_connector", "constructor", "rank", "holder", "snoozed_until",
]  # fmt: skip
WELL = {
    OPEN: opening(), STEPS: step(), SUSPEND: {"reason": "guard"}, "processes/opened/resume": {},
    "processes/runs/complete": {}, "processes/runs/fail": {},
    "processes/runs/lease": {"owner": "o"}, "processes/runs/heartbeat": {"lease_epoch": 0},
}  # fmt: skip


@pytest.mark.parametrize("path", WELL)
def test_a_field_that_is_not_one_is_refused_and_sets_nothing(runs, path):
    before = everything()
    for name in set(EXTRA) - set(WELL[path]):
        for value in (True, "yes", 77):
            reply = runs.post(path, WELL[path] | {name: value})
            assert code(reply) == (422, "extra_field")
            assert [error["pointer"] for error in reply.json()["errors"]] == [f"/{name}"]
    assert everything() == before


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/json; charset=latin-1", "application/json; charset=utf-16", "text/json",
        "application/problem+json", "application/jsonx", "", "json",
        "application/json, text/html",
    ],
)  # fmt: skip
def test_another_media_type_is_415(runs, kind):
    before = everything()
    for path in (OPEN, STEPS, "import", "processes/runs/complete"):
        reply = runs.send("POST", path, b'{"objective":"x"}', kind)
        assert code(reply) == (415, "unsupported_media_type")
    assert everything() == before


@pytest.mark.parametrize("kind", [JSON, f"{JSON}; charset=utf-8", f'{JSON};charset="UTF-8"'])
def test_json_in_utf_8_is_taken_however_it_is_spelled(runs, kind):
    assert runs.send("POST", OPEN, printed(opening()), kind).status_code == 201
