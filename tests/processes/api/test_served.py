"""What only a real connection shows: bodies that are too large, too slow or cut off; waiting;
and what the server's log says of it all.
"""

from __future__ import annotations

import json
import threading
import time

import pytest

from dalhc.front.bounds import BODY, DRAINED
from tests.serving import answer

JSON = {"Content_Type": "application/json"}
PROBLEM = "application/problem+json"


def opened(served, **fields):
    reply = served.runtime.post("processes", json={"objective": "Tidy", "start": True} | fields)
    assert reply.status_code == 201
    return reply.json()["id"]


def count(served):
    return served.runtime.get("processes?limit=1&count=true").json()["count"]


def problem(response, body):
    """The status and code of a refusal, which is problem JSON with a request's id."""
    assert response.getheader("Content-Type") == PROBLEM
    assert body["request_id"] == response.getheader("X-Request-Id")
    return response.status, body["code"]


def test_a_body_too_large_is_refused_readably_to_who_is_still_sending(served):
    before = count(served)
    size = 20 * BODY
    with served.connection() as connection:
        connection.sendall(served.head("POST", "processes", **JSON, Content_Length=str(size)))
        for _ in range(20):
            connection.sendall(b" " * BODY)
        refused = answer(connection)
    assert problem(*refused) == (413, "too_large")
    assert count(served) == before


def test_a_body_announced_far_too_large_is_refused_unread(served):
    size = str(BODY + DRAINED + 1)
    head = served.head("POST", "processes", **JSON, Content_Length=size)
    assert problem(*served.send(head)) == (413, "too_large")


def test_a_chunked_body_is_bounded_too(served):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    head = served.head("POST", "processes", **JSON, Transfer_Encoding="chunked")
    assert problem(*served.send(head + chunk * 8 + b"0\r\n\r\n")) == (413, "too_large")


def test_who_asks_before_sending_too_much_is_told_not_to(served):
    head = served.head(
        "POST", "processes", **JSON, Content_Length=str(BODY + 1), Expect="100-continue"
    )
    assert problem(*served.send(head)) == (413, "too_large")


def test_a_chunked_body_is_taken(served):
    raw = b'{"objective":"Tidy"}'
    head = served.head("POST", "processes", **JSON, Transfer_Encoding="chunked")
    response, body = served.send(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(raw), raw))
    assert (response.status, body["objective"]) == (201, "Tidy")


@pytest.mark.parametrize(
    "length", ["-1", "x", "1e3", "5, 6", "0x10", "99999999999999999999999"]
)
def test_a_length_that_is_none_is_refused(served, length):
    before = count(served)
    with served.connection() as connection:
        connection.sendall(
            served.head("POST", "processes", **JSON, Content_Length=length) + b"{}"
        )
        first = connection.recv(65_536)
    assert not first or first.split(b" ")[1][:1] == b"4"
    assert count(served) == before


@pytest.mark.parametrize("raw", [b"zz\r\n", b"-1\r\nx\r\n", b"1\r\nxy\r\n"])
def test_chunks_that_cannot_be_read_are_the_clients_fault(served, raw):
    before = count(served)
    head = served.head("POST", "processes", **JSON, Transfer_Encoding="chunked")
    assert problem(*served.send(head + raw)) == (400, "incomplete_body")
    assert count(served) == before


def test_a_body_that_is_cut_off_is_not_acted_on(served):
    before = count(served)
    raw = b'{"objective":"Tidy"}'
    with served.connection() as connection:
        length = str(len(raw) + 5)
        connection.sendall(
            served.head("POST", "processes", **JSON, Content_Length=length) + raw
        )
    time.sleep(0.2)
    assert count(served) == before


def test_a_body_that_comes_slowly_is_waited_for(served):
    raw = b'{"objective":"Slow"}'
    with served.connection() as connection:
        connection.sendall(
            served.head("POST", "processes", **JSON, Content_Length=str(len(raw)))
        )
        for byte in raw:
            time.sleep(0.02)
            connection.sendall(bytes([byte]))
        response, body = answer(connection)
    assert (response.status, body["objective"]) == (201, "Slow")


def test_fifty_slow_ones_keep_nobody_else_waiting(served):
    head = served.head("POST", "processes", **JSON, Content_Length="100")
    stack = [served.connection() for _ in range(50)]
    connections = [one.__enter__() for one in stack]
    for one in connections:
        one.sendall(head + b"{")
    begun = time.monotonic()
    assert served.runtime.get("processes").status_code == 200
    assert time.monotonic() - begun < 5
    for one in stack:
        one.__exit__(None, None, None)


def test_a_request_line_or_headers_beyond_reason_are_refused(served):
    for request in (
        b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
        served.head("GET", "processes", **{f"X-{n}": "1" for n in range(10_000)}),
        served.head("GET", "processes?q=" + "x" * 100_000),
    ):  # fmt: skip
        with served.connection() as connection:
            connection.sendall(request)
            first = connection.recv(65_536)
        assert not first or first.split(b" ")[1][:1] == b"4"
    assert served.runtime.get("processes").status_code == 200


@pytest.mark.parametrize(
    ("path", "raw", "status", "code"),
    [
        ("processes/{id}/steps", b"{", 400, "not_json"),
        ("processes/{id}/steps", b'{"tool":"a","tool":"b"}', 400, "duplicate_key"),
        ("processes/{id}/steps", b'{"tool":"a","args":{},"success":1}', 422, "invalid_request"),
        ("processes/{id}/steps", b"[" * 70, 400, "too_deep"),
        ("processes/{id}/steps", b'{"tool":"\\ud800"}', 400, "lone_surrogate"),
        ("processes/{id}/steps", b"[]", 422, "invalid_request"),
        ("processes/none/steps", b'{"tool":"a","args":{},"success":true}', 404,
         "process_not_found"),
        ("processes/a%00b/steps", b"{}", 404, "not_found"),
        ("processes/a..b/steps", b"{}", 404, "not_found"),
        ("nowhere", b"{}", 404, "not_found"),
    ],
)  # fmt: skip
def test_the_short_way_refuses_as_the_long_one_does(served, path, raw, status, code):
    """Steps of a key seen lately never reach Django; the first request makes it seen."""
    path = path.format(id=opened(served))
    kind = {"Content-Type": "application/json"}
    served.runtime.get("processes?limit=1")
    for extra in ({}, {"Idempotency-Key": "k" * 9}):
        reply = served.runtime.post(path, content=raw, headers=kind | extra)
        assert (reply.status_code, reply.json()["code"]) == (status, code)
        assert reply.headers["Content-Type"] == PROBLEM
        assert reply.json()["request_id"] == reply.headers["X-Request-Id"]


def test_both_ways_store_and_skip_alike(served):
    one = opened(served)
    step = {"tool": "a", "args": {"b": 1}, "success": True}
    first = served.runtime.post(f"processes/{one}/steps", json=step)
    long = served.runtime.post(
        f"processes/{one}/steps", json=step, headers={"Idempotency-Key": "x"}
    )
    short = served.runtime.post(f"processes/{one}/steps", json=step)
    assert (first.status_code, long.status_code, short.status_code) == (201, 200, 200)
    assert long.json() | {"skips": 0} == short.json() | {"skips": 0}
    for name in ("ETag", "Idempotent-Replayed", "Content-Type", "Cache-Control"):
        assert long.headers[name] == short.headers[name]
    refused = served.runtime.post(
        f"processes/{one}/steps", json=step | {"tool": "b"}, headers={"If-Match": '"0"'}
    )
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")


def test_another_agents_process_is_none_on_the_short_way_too(served):
    one = opened(served)
    served.other.get("processes?limit=1")
    for path in ("steps", "next?wait=20"):
        method = "POST" if path == "steps" else "GET"
        step = {"tool": "a", "args": {}, "success": True} if path == "steps" else None
        reply = served.other.request(method, f"processes/{one}/{path}", json=step)
        assert (reply.status_code, reply.json()["code"]) == (404, "process_not_found")


def test_a_waiting_runtime_is_told_within_moments_of_the_decision(served):
    one = opened(served)
    ask = {"reason": "ask_user", "question": "?"}
    stop = served.runtime.post(f"processes/{one}/suspend", json=ask).json()["suspension"]
    told = []

    def wait() -> None:
        reply = served.runtime.get(f"processes/{one}/next", headers={"Prefer": "wait=25"})
        told.append((reply.json(), time.monotonic()))

    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(0.5)
    assert told == []
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    assert served.person.post(f"suspensions/{stop['id']}/decision", json=choice).is_success
    decided = time.monotonic()
    waiter.join(20)
    assert told[0][0]["decided"] is True
    assert told[0][1] - decided < 1


def test_B43_who_waits_for_what_is_ended_meanwhile_is_told_so_and_the_server_lives(served):
    ids = [opened(served) for _ in range(5)]
    told: dict[str, str] = {}
    for one in ids:
        asked = {"reason": "ask_user", "question": "Which?"}
        assert served.runtime.post(f"processes/{one}/suspend", json=asked).status_code == 200

    def wait(one: str) -> None:
        reply = served.runtime.get(f"processes/{one}/next?wait=25")
        told[one] = reply.json()["next_action"]

    waiters = [threading.Thread(target=wait, args=(one,)) for one in ids]
    begun = time.monotonic()
    for waiter in waiters:
        waiter.start()
    for one in ids:
        ended = served.person.post(f"processes/{one}/stop", json={"note": "Not needed."})
        assert ended.status_code == 200
    for waiter in waiters:
        waiter.join(20)
    assert told == dict.fromkeys(ids, "terminal")
    assert time.monotonic() - begun < 20
    assert served.runtime.get(f"processes/{ids[0]}").json()["state"] == "failed"


@pytest.mark.parametrize("wait", ["31", "x", "-1"])
def test_an_odd_wait_is_refused_before_anything_sleeps(served, wait):
    reply = served.runtime.get(f"processes/{opened(served)}/next?wait={wait}")
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("path", ["next?wait=20", "steps"])
def test_a_wrong_key_is_401_with_its_challenge_on_the_short_way(served, path):
    one = opened(served)
    bad = {"Authorization": f"Bearer {served.keys[0][:-3]}"}
    call = served.runtime.get if "wait" in path else served.runtime.post
    reply = call(f"processes/{one}/{path}", headers=bad)
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")
    assert reply.headers["WWW-Authenticate"] == 'Bearer realm="dalhc"'


def test_no_key_is_in_any_line_of_the_log(served):
    key = served.keys[0]
    secret = key.split("_", 2)[2]
    bare = {"Authorization": ""}
    served.runtime.get(f"processes?key={key}")
    served.runtime.get("processes", headers={"X-Key": key})
    served.runtime.get(f"{key}", headers=bare)
    served.runtime.post("processes", json={"objective": key, "odd": key})
    served.runtime.get(
        "processes", headers={"Authorization": f"Bearer {key}é".encode("latin-1")}
    )
    served.runtime.get("processes", headers={"Authorization": f"Basic {key}"})
    served.send(served.head("GET", f"processes/{key}/next?wait={key}"))
    for text in (*served.keys, secret):
        assert text not in served.log
    for line in served.log.splitlines():
        assert not line.startswith("{") or json.loads(line)["level"] != "error"


def test_a_callers_text_is_one_line_of_the_log_at_most(served):
    before = served.log.count("\n")
    evil = "ok%0d%0aINFO%20approved%20by%20alice%1b[2J"
    served.runtime.get(f"processes?q={evil}&x={evil}")
    served.runtime.get(evil)
    assert "\x1b" not in served.log
    assert "\nINFO approved" not in served.log
    assert served.log.count("\n") - before <= 2
