"""Metrics, rates and log lines of a real server."""

from __future__ import annotations

import json
import time

import pytest

from tests.serving import Served


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory):
    """A server that lets each key ask ten times a second and logs everything."""
    server = Served(tmp_path_factory.mktemp("slow"), DALHC_RATE="10", DALHC_LOG_REQUESTS="all")
    yield server
    server.close()


def lines(server: Served) -> list[dict[str, object]]:
    found = []
    for line in server.log.splitlines():
        if line.startswith("{"):
            found.append(json.loads(line))
    return found


def test_a_key_that_asks_too_often_is_told_when_to_come_back(slow):
    replies = [slow.runtime.get("processes") for _ in range(40)]
    refused = [reply for reply in replies if reply.status_code == 429]
    assert 5 <= len(refused) <= 25
    assert {reply.json()["code"] for reply in refused} == {"rate_limited"}
    assert {reply.headers["Retry-After"] for reply in refused} == {"1"}
    assert slow.person.get("processes").status_code == 200  # another key
    time.sleep(1)
    assert slow.runtime.get("processes").status_code == 200


def test_metrics_are_for_a_persons_key(slow):
    time.sleep(2)
    url = f"{slow.url}/metrics"
    assert slow.person.get(url, headers={"Authorization": ""}).status_code == 401
    assert slow.runtime.get(url).status_code == 403
    reply = slow.person.get(url)
    assert reply.status_code == 200
    assert reply.headers["Content-Type"].startswith("text/plain; version=")
    for name in (
        "dalhc_waiting", "dalhc_oldest_wait_seconds", "dalhc_pickup_seconds_bucket",
        "dalhc_append_seconds_bucket", "dalhc_lost_fences_total", "dalhc_requests_total",
    ):  # fmt: skip
        assert f"\n{name}" in reply.text
    assert 'dalhc_refusals_total{code="rate_limited"}' in reply.text
    assert slow.keys[0] not in reply.text and "tidier" not in reply.text


def test_a_request_is_one_line_with_its_id_and_no_secret(slow):
    time.sleep(1)
    given = "req_of_this_test"
    slow.runtime.get("processes?q=secret-words", headers={"X-Request-Id": given})
    slow.runtime.get("processes/x%1b[2J%0aINFO approved/next")
    time.sleep(0.3)
    [said] = [line for line in lines(slow) if line.get("request_id") == given]
    assert (said["method"], said["path"], said["status"]) == ("GET", "/api/v1/processes", 200)
    assert said["key"] == slow.keys[0].rsplit("_", 1)[0]
    assert isinstance(said["ms"], float)
    assert "secret-words" not in slow.log
    assert "\x1b" not in slow.log and "\nINFO approved" not in slow.log
    assert not any(key in slow.log for key in slow.keys)


def test_a_trace_is_kept_on_the_events_it_made(slow):
    time.sleep(2)
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    told = {"traceparent": trace}
    slow.runtime.post(
        "processes", json={"id": "t", "objective": "x", "start": True}, headers=told
    )
    step = {"tool": "run", "args": {}, "success": True}
    slow.runtime.post("processes/t/steps", json=step, headers=told)
    slow.runtime.post(
        "processes/t/steps", json=step | {"args": {"n": 2}}, headers={"traceparent": "odd"}
    )
    slow.runtime.post("processes/t/complete", json={})
    events = slow.person.get("processes/t/events").json()["results"]
    assert [(event["kind"], event["data"].get("trace")) for event in events] == [
        ("open", trace), ("resume", trace), ("step", trace), ("step", None), ("finish", None),
    ]  # fmt: skip
