"""Steps sent and read, turns and events read: by seq, a page at a time."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from processes.journal.canonical import step_key
from processes.models import Step
from tests.processes.api.callers import code, everything, step


@pytest.fixture
def path(runtime):
    return f"processes/{runtime.open()['id']}/steps"


def test_a_step_comes_back_flat_with_all_that_was_made_of_it(runtime, path):
    sent = step(
        args={"b": 1, "a": [1.0, True]}, result_digest="ok", artifacts=["a/b.txt"],
        attempt_id="try-1", effect="idempotent",
    )  # fmt: skip
    reply = runtime.post(path, sent)
    stored = reply.json()
    assert (reply.status_code, reply["ETag"], stored["revision"]) == (201, '"2"', 2)
    assert stored["args"] == '{"a":[1.0,true],"b":1}'
    assert stored["idempotency_key"] == step_key("run", stored["args"])
    assert (stored["seq"], stored["skipped"], stored["effect"]) == (1, False, "idempotent")
    assert (stored["artifacts"], stored["attempt_id"]) == (["a/b.txt"], "try-1")
    assert (stored["digest_clipped"], stored["artifacts_dropped"]) == (False, 0)


def test_a_step_sent_again_is_skipped_and_returned(runtime, path):
    first = runtime.post(path, step()).json()
    before = everything()
    for again in (step(), step(success=False), step(result_digest="other")):
        reply = runtime.post(path, again)
        assert (reply.status_code, reply["Idempotent-Replayed"]) == (200, "true")
        same = ("seq", "args", "success", "result_digest", "idempotency_key", "at")
        assert {name: reply.json()[name] for name in same} == {
            name: first[name] for name in same
        }
        assert reply.json()["skipped"] is True
    assert everything() == before
    assert Step.objects.get().skips == 3
    assert runtime.get(path).json()["results"][0]["skips"] == 3


def test_a_failure_never_blocks_a_retry(runtime, path):
    assert runtime.post(path, step(success=False)).status_code == 201
    assert runtime.post(path, step(success=False)).status_code == 201
    assert runtime.post(path, step()).status_code == 201
    assert runtime.post(path, step(success=False)).json()["seq"] == 3
    assert [one["success"] for one in runtime.get(path).json()["results"]] == [
        False,
        False,
        True,
    ]


def test_an_attempt_is_stored_once_and_is_one_thing(runtime, path):
    failed = step(success=False, attempt_id="try-1", result_digest="no")
    assert runtime.post(path, failed).status_code == 201
    again = runtime.post(path, failed)
    assert (again.status_code, again.json()["skipped"]) == (200, True)
    for other in (
        failed | {"result_digest": "else"},
        step(2, success=False, attempt_id="try-1"),
    ):
        refused = runtime.post(path, other)
        assert code(refused) == (409, "attempt_conflict")
        assert refused.json()["errors"][0]["pointer"] == "/attempt_id"


def test_a_list_is_stored_in_order_or_not_at_all(runtime, path):
    reply = runtime.post(path, [step(1), step(2, success=False), step(1), step(3)])
    body = reply.json()
    assert (reply.status_code, body["revision"]) == (201, 4)
    assert [one["seq"] for one in body["results"]] == [1, 2, 1, 3]
    assert [one["skipped"] for one in body["results"]] == [False, False, True, False]
    before = everything()
    all_known = runtime.post(path, [step(1), step(3)])
    assert (all_known.status_code, all_known["Idempotent-Replayed"]) == (200, "true")
    half_bad = runtime.post(path, [step(4), step(5, success="yes")])
    assert code(half_bad) == (422, "invalid_request")
    assert half_bad.json()["errors"][0]["pointer"] == "/1/success"
    bad_path = runtime.post(path, [step(4), step(5, artifacts=["../x"])])
    assert bad_path.json()["errors"][0]["pointer"] == "/1/artifacts/0"
    assert everything() == before


@pytest.mark.parametrize("count", [0, 101])
def test_a_list_has_1_to_100_steps(runtime, path, count):
    reply = runtime.post(path, [step(n) for n in range(count)])
    assert code(reply) == (422, "invalid_request")
    assert not Step.objects.exists()


def test_a_list_of_100_is_one_page_of_100(runtime, path):
    assert runtime.post(path, [step(n) for n in range(100)]).status_code == 201
    assert len(runtime.get(f"{path}?limit=100").json()["results"]) == 100


def test_what_is_too_long_is_cut_and_said(runtime, path):
    names = [f"{n}.txt" for n in range(33)]
    stored = runtime.post(path, step(result_digest="😀" * 2001, artifacts=names)).json()
    assert stored["result_digest"] == "😀" * 2000
    assert (stored["digest_clipped"], stored["artifacts_dropped"]) == (True, 1)
    assert stored["artifacts"] == names[:32]


def test_every_path_is_checked_before_the_list_is_cut(runtime, path):
    reply = runtime.post(path, step(artifacts=[f"{n}.txt" for n in range(40)] + ["../x"]))
    assert code(reply) == (422, "invalid_artifact_path")
    assert reply.json()["errors"][0]["pointer"] == "/artifacts/40"
    assert not Step.objects.exists()


def test_pages_follow_each_other_to_the_end(runtime, path):
    runtime.post(path, [step(n) for n in range(1, 6)])
    seen, url = [], f"/api/v1/{path}?limit=2"
    while url:
        reply = runtime.get(url.removeprefix("http://testserver"))
        body = reply.json()
        seen.append([one["seq"] for one in body["results"]])
        url = body["next"]
        assert reply.get("Link", "") == (f'<{url}>; rel="next"' if url else "")
    assert seen == [[1, 2], [3, 4], [5]]


def test_a_page_reads_only_that_page(runtime, path):
    runtime.post(path, [step(n) for n in range(100)])
    with CaptureQueriesContext(connection) as few:
        runtime.get(f"{path}?after=90&limit=5")
    with CaptureQueriesContext(connection) as last:
        runtime.get(f"{path}?limit=5")
    assert len(few) == len(last) <= 4
    assert any("LIMIT 6" in query["sql"] for query in few)


def test_events_start_with_the_first_and_are_chained(runtime, path):
    runtime.post(path, step())
    events = runtime.get(path.replace("/steps", "/events")).json()["results"]
    assert [event["seq"] for event in events] == [0, 1, 2]
    assert events[0]["prev_hash"] == "0" * 64
    assert [event["prev_hash"] for event in events[1:]] == [
        event["hash"] for event in events[:-1]
    ]
    assert events[2]["actor"] == "runtime:tidier"
    after = runtime.get(path.replace("/steps", "/events?after=0")).json()["results"]
    assert after == events[1:]


@pytest.mark.parametrize("name", ["steps", "turns", "events"])
@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "limit=0", "limit=201", "page=2", "after=1&after=2", "q=1"]
)
def test_an_odd_parameter_is_refused(runtime, path, name, query):
    reply = runtime.get(path.replace("steps", name) + f"?{query}")
    assert code(reply) == (422, "invalid_request")
