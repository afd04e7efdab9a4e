"""Steps and idempotency, row by row (contract §5, A)."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from processes import services
from processes.journal.canonical import step_key
from processes.journal.commands import AppendStep
from processes.models import Event, Step
from processes.store import steps as stored
from tests.making import Made, append, make_process, resume

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
STEP = {"tool": "run", "args": {"cmd": "ls"}, "success": True}


@pytest.fixture
def made() -> Made:
    return make_process(running=True, id="a")


def count() -> int:
    return Step.objects.count()


def post(api, status=201, **step):
    return api.post("/processes/a/steps", STEP | step, status)


def refused(api, status=422, **step) -> str:
    return str(api.code(status, "/processes/a/steps", STEP | step))


@pytest.mark.parametrize("tool", ["run", "r\u00e9sum\u00e9 \U0001f600", "x" * 200])
def test_A01_a_step_stores_its_tool(tool, made, runtime):
    post(runtime, tool=tool)
    assert runtime.get("/processes/a/steps")["results"][0]["tool"] == tool


def test_A02_a_step_stores_canonical_arguments(made, runtime):
    assert post(runtime, args={"b": 1, "a": 2})["args"] == '{"a":2,"b":1}'
    assert post(runtime, 200, args={"a": 2, "b": 1})["skipped"]
    assert Step.objects.get().args == '{"a":2,"b":1}'


@pytest.mark.parametrize("success", [True, False])
def test_A03_a_step_stores_whether_it_succeeded(success, made, runtime):
    assert post(runtime, success=success)["success"] is success
    assert made.record.steps[0].success is success


def test_A04_a_step_stores_its_digest_bounded(made, runtime):
    assert post(runtime, result_digest="d\u00e9\n")["result_digest"] == "d\u00e9\n"
    assert len(post(runtime, args="b", result_digest="x" * 9_000)["result_digest"]) == 2_000


def test_A05_a_step_stores_its_artifacts_in_order(made, runtime):
    paths = ["b/2", "a/1", "r\u00e9sum\u00e9.pdf"]
    assert post(runtime, artifacts=paths)["artifacts"] == paths
    assert made.record.steps[0].artifacts == tuple(paths)


def test_A06_a_step_stores_its_key(made, runtime):
    assert re.fullmatch("[0-9a-f]{64}", post(runtime)["idempotency_key"])


@pytest.mark.parametrize(
    ("tool", "args", "key"),
    [
        ("run", {"cmd": "ls -la"},
            "d89c21c688932c47fa7474699adc4aba44d188958f5135781964342b025dc358"),
        ("write_file", {"contents": "h\u00e9", "path": "a.txt"},
            "87788a9118cadf55809e7746e33d41dd82d9ced5c3112d0d5d05fd43653a2b37"),
        ("list_dir", {}, "424c3febac9f3fb8d2abd5fcfe909e1e74c2f5144f203cba3a7b85aa7b34ce28"),
    ],
)  # fmt: skip
def test_A07_the_key_is_the_hash_of_tool_newline_arguments(tool, args, key, made, runtime):
    step = post(runtime, tool=tool, args=args, idempotency_key=key)
    assert step["idempotency_key"] == key
    text = f"{tool}\n{step['args']}"
    assert hashlib.sha256(text.encode()).hexdigest() == key


@pytest.mark.parametrize(
    "spelling",
    [
        '{"b":"\u00e9","a":[1,2]}',
        '{ "a" : [1 , 2],\n"b": "\\u00e9" }',
        '{"\\u0061":[1,2],"b":"\u00e9"}',
    ],
)
def test_A08_the_key_does_not_depend_on_the_spelling(spelling, made, runtime):
    body = f'{{"tool":"run","success":true,"args":{spelling}}}'
    reply = runtime._client.post(
        "/api/v1/processes/a/steps",
        body.encode(),
        content_type="application/json",
        headers=runtime._headers,
    )
    assert reply.json()["idempotency_key"] == step_key("run", '{"a":[1,2],"b":"\u00e9"}')


@pytest.mark.parametrize("tool", ["a\nb", "a\r", "\x7f", "a\u2028"])
def test_A09_a_newline_in_a_tool_cannot_forge_a_key(tool, made, runtime):
    assert step_key("a\nb", "c") == step_key("a", "b\nc")
    assert refused(runtime, tool=tool) == "invalid_tool"
    assert count() == 0


@pytest.mark.parametrize("key", ["0" * 64, "", "x", step_key("run", '{"cmd":"ls"}').upper()])
def test_A10_a_key_that_disagrees_is_refused(key, made, runtime):
    assert refused(runtime, idempotency_key=key) == "idempotency_key_mismatch"
    assert count() == 0


def test_A11_a_recorded_success_is_skipped(made, runtime):
    assert post(runtime)["skipped"] is False
    assert post(runtime, 200)["skipped"] is True
    assert count() == 1


def test_A12_a_skipped_append_changes_nothing(made, runtime):
    post(runtime)
    before, columns = made.record, made.columns
    post(runtime, 200, result_digest="other", artifacts=["x"], effect="idempotent")
    assert made.record == before
    changed = {name for name, value in made.columns.items() if value != columns[name]}
    assert changed == {"skipped"}


def test_A13_a_failed_step_does_not_block_a_retry(made, runtime):
    post(runtime, success=False)
    assert post(runtime)["skipped"] is False
    assert [step.success for step in made.record.steps] == [False, True]


def test_A14_two_failures_of_one_key_are_both_recorded(made, runtime):
    post(runtime, success=False)
    post(runtime, success=False)
    assert count() == 2


def test_A15_after_a_success_a_later_failure_is_skipped_too(made, runtime):
    post(runtime)
    told = post(runtime, 200, success=False, result_digest="broke")
    assert (told["skipped"], told["success"]) == (True, True)
    assert count() == 1


def test_A16_a_key_belongs_to_one_process(made, runtime):
    other = make_process(running=True)
    assert not post(runtime)["skipped"]
    assert not append(other, args={"cmd": "ls"}).skipped
    assert count() == 2


def test_A19_an_append_is_whole_or_not_at_all(made, monkeypatch):
    append(made, args="first")
    before = made.columns

    def fails(*_: object) -> None:
        raise OSError("the disk is gone")

    real = stored.add
    for broken in (fails, lambda *a: (real(*a), fails())):
        monkeypatch.setattr(stored, "add", broken)
        with pytest.raises(OSError, match="gone"):
            append(made, args="second")
        assert made.columns == before
        assert count() == 1 and Event.objects.filter(kind="step").count() == 1
    monkeypatch.setattr(stored, "add", real)
    assert not append(made, args="second").skipped


def test_A19_a_list_is_whole_or_not_at_all(made, runtime):
    bad = [STEP, STEP | {"args": "b", "tool": "a\nb"}]
    assert runtime.code(422, "/processes/a/steps", bad) == "invalid_tool"
    assert count() == 0


def test_A20_the_decision_and_the_insert_are_one_transaction(made):
    """The lookup stands after the lock, in the savepoint that inserts."""
    with CaptureQueriesContext(connection) as seen:
        append(made)
    asked = [re.sub(r"^\d+ times: ", "", query["sql"]) for query in seen]
    words = [query.split()[0] for query in asked]
    assert words[0] == "SAVEPOINT" and words[-1] == "RELEASE"
    # On SQLite the write has the file to itself, so reading the row is enough of a lock.
    sign = "FOR UPDATE" if connection.vendor == "postgresql" else "processes_process"
    locks = [sign in query for query in asked]
    looks = [
        word == "SELECT" and "processes_step" in query
        for word, query in zip(words, asked, strict=True)
    ]
    assert locks.index(True) < looks.index(True) < words.index("INSERT")
    assert words.count("SAVEPOINT") == 1


def test_A21_replaying_a_whole_run_stores_nothing_new(made, runtime):
    run = [STEP | {"args": {"n": n}, "success": n % 3 > 0} for n in range(12)]
    first = runtime.post("/processes/a/steps", run, 201)["results"]
    assert [step["skipped"] for step in first] == [False] * 12
    resume(made)
    done = [step for step in run if step["success"]]
    again = runtime.post("/processes/a/steps", done, 200)["results"]
    assert [step["skipped"] for step in again] == [True] * 8
    assert count() == 12


def test_A22_a_skipped_reply_gives_the_recorded_step(made, runtime):
    post(runtime, args="before")
    first = post(runtime, result_digest="found 3", artifacts=["o"])
    again = post(runtime, 200, result_digest="other")
    for name in ("seq", "result_digest", "artifacts", "idempotency_key", "at", "args"):
        assert again[name] == first[name]
    assert again["seq"] == 2


def test_A23_nothing_claims_that_tools_run_exactly_once():
    """Only what is denied may name it: `never exactly-once`, `No promise of exactly-once`."""
    claim = re.compile(r"exactly[- ]once", re.IGNORECASE)
    denied = re.compile(
        r"(?i)\b(no|not|never|nothing|nobody|without)\b[^.|]{0,80}exactly[- ]once"
    )
    texts = [
        path
        for folder in ("dalhc", "processes", "templates", "docs", "static")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".html", ".md", ".js"}
    ]
    texts += ROOT.glob("*.md")
    assert texts
    for path in texts:
        text = " ".join(path.read_text().split())
        assert len(claim.findall(text)) == len(denied.findall(text)), path.name


def test_A24_retries_are_visible(made, runtime):
    post(runtime, success=False)
    post(runtime)
    for _ in range(3):
        post(runtime, 200)
    shown = runtime.get("/processes/a/steps")["results"]
    assert [(step["success"], step["skips"]) for step in shown] == [(False, 0), (True, 3)]
    assert made.columns["skipped"] == 3


def test_an_attempt_id_makes_a_failure_safe_to_send_again(made, runtime):
    first = post(runtime, success=False, attempt_id="try-1")
    again = post(runtime, 200, success=False, attempt_id="try-1")
    assert (again["skipped"], again["seq"], count()) == (True, first["seq"], 1)


@pytest.mark.parametrize(
    "change",
    [
        {"args": "other"}, {"success": True}, {"result_digest": "other"}, {"tool": "other"},
        {"artifacts": ["other"]}, {"effect": "idempotent"},
    ],
)  # fmt: skip
def test_an_attempt_id_names_one_step_only(change, made, runtime):
    post(runtime, success=False, attempt_id="try-1")
    assert (
        refused(runtime, 409, **({"success": False, "attempt_id": "try-1"} | change))
        == "attempt_conflict"
    )
    assert count() == 1


def test_within_one_list_a_repeated_success_is_skipped_and_a_failure_is_not(made):
    one = AppendStep(tool="run", args="a", success=False)
    two = AppendStep(tool="run", args="a", success=True)
    batch = services.append("a", [one, one, two, two, one], by=made.by)
    assert [result.skipped for result in batch.results] == [False, False, False, True, True]
    assert [result.step["seq"] for result in batch.results] == [1, 2, 3, 3, 3]
