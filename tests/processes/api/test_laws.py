"""Whatever is sent, the API answers; and what it refuses leaves no trace."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalhc.http.problems import InvalidRequest
from processes.api.query import whole
from processes.journal.parse import parse_json
from tests.processes.api.callers import everything

NAMES = (
    "objective", "id", "start", "cycle_id", "tool", "args", "success", "result_digest",
    "artifacts", "idempotency_key", "attempt_id", "effect", "lease_epoch", "reason", "question",
    "options", "proposed_action", "hold", "ask_key", "detail", "final_text", "error", "owner",
    "ttl_s", "action", "answer", "note", "review_digest", "revision", "state", "schema_version",
    "steps", "turns", "created_at_ms", "updated_at_ms", "odd",
)  # fmt: skip
LIKELY = st.sampled_from([
    "run", "ask_user", "guard", "answer", "approve", "deny", "stop", "idempotent", "a/b.txt",
    "..", "0" * 64, "running", "suspended", 1, 0, -1, 2**63, 2**64, 10**400, 1e308, True, False,
    None, {}, [],
    "", " ", "\0", "\ud800", "x" * 9000, "é\u202e😀", [["a"]], {"tool": "t", "args": {}},
])  # fmt: skip
VALUES = LIKELY | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
PATHS = (
    "processes", "import", "processes/runs/steps", "processes/runs/suspend",
    "processes/runs/resume", "processes/runs/complete", "processes/runs/fail",
    "processes/runs/stop", "processes/runs/lease", "processes/runs/heartbeat",
    "processes/runs/release", "suspensions/{stop}/decision", "suspensions/{stop}/ack",
    "suspensions/{stop}/nack",
)  # fmt: skip

moderately = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def stop(runtime):
    runtime.open(id="runs")
    runtime.open(id="asks")
    return runtime.ask("asks")


@pytest.mark.parametrize("path", PATHS)
def test_no_object_breaks_an_endpoint_and_a_refused_one_leaves_no_trace(
    runtime, mia, stop, path
):
    caller = mia if path.endswith(("decision", "stop")) else runtime
    url = path.format(stop=stop["id"])

    @moderately
    @given(body=st.one_of(OBJECTS, OBJECTS, VALUES, st.lists(OBJECTS, max_size=3)))
    def holds(body: object) -> None:
        before = everything()
        reply = caller.send("POST", url, json.dumps(body).encode())
        assert reply.status_code < 500
        assert reply.status_code < 300 or everything() == before

    holds()


@pytest.mark.parametrize("path", ["processes", "processes/runs/steps", "import"])
def test_no_bytes_break_an_endpoint(runtime, stop, path):
    @moderately
    @given(raw=st.binary(max_size=200) | st.text(alphabet='[]{}",:0123\\ue-.', max_size=60))
    def holds(raw: bytes | str) -> None:
        before = everything()
        reply = runtime.send("POST", path, raw if isinstance(raw, bytes) else raw.encode())
        assert 400 <= reply.status_code < 500
        assert everything() == before

    holds()


@pytest.mark.parametrize("path", ["processes", "suspensions", "processes/runs/steps"])
def test_no_query_breaks_a_list(mia, stop, path):
    names = st.sampled_from(["q", "state", "limit", "cursor", "after", "agent", "count", "x"])

    @moderately
    @given(pairs=st.lists(st.tuples(names, st.text(max_size=12)), max_size=3))
    def holds(pairs: list[tuple[str, str]]) -> None:
        reply = mia.get(f"{path}?{urlencode(pairs, errors='replace')}")
        assert reply.status_code in {200, 400, 422}

    holds()


@given(text=st.text(max_size=20))
def test_a_number_of_a_query_is_plain_digits_or_refused(text):
    plain = 0 < len(text) <= 15 and text.isascii() and text.isdigit() and int(text) <= 10**9
    if plain:
        assert whole({"n": text}, "n", 0, 0, 10**9) == int(text)
    else:
        with pytest.raises(InvalidRequest):
            whole({"n": text}, "n", 0, 0, 10**9)


PLAIN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | PLAIN,
        lambda inner: st.lists(inner, max_size=3),
    )
)
def test_strict_json_is_read_exactly(value):
    assert parse_json(json.dumps(value).encode(), depth=64) == value
