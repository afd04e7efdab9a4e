"""A decision is taken alike on the short way, in the loop, and on the ordinary one."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.serving import Served

# Whoever sends an Idempotency-Key, or asks for more kinds of answers, is answered by Django.
ORDINARY = {"Accept": "application/json;q=0.9"}
HEADERS = ("ETag", "Content-Type", "Cache-Control", "X-Content-Type-Options")


def asked(served: Served) -> dict[str, Any]:
    opened = {"objective": "Tidy", "start": True}
    one = served.runtime.post("processes", json=opened).json()["id"]
    ask = {"reason": "ask_user", "question": "Which region?", "options": ["eu", "us"]}
    stop: dict[str, Any] = served.runtime.post(f"processes/{one}/suspend", json=ask).json()
    served.person.get("suspensions?limit=1")  # from here on its key is known
    return dict(stop["suspension"])


def decide(
    served: Served, stop: dict[str, Any], headers: dict[str, str], **fields: Any
) -> httpx2.Response:
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    path = f"suspensions/{stop['id']}/decision"
    return served.person.post(path, json=choice | fields, headers=headers)


def told(reply: httpx2.Response) -> tuple[Any, ...]:
    """What of an answer must be alike: all but ids and moments."""
    body = reply.json()
    for name in ("id", "process_id", "opened_at", "review_digest", "request_id"):
        body.pop(name, None)
    if decision := body.get("decision"):
        decision.pop("id"), decision.pop("at")
    body.pop("detail", None) if reply.status_code == 409 else None
    if current := body.get("current"):
        body["current"] = sorted(current)
    return reply.status_code, body, [reply.headers.get(name) for name in HEADERS]


@pytest.mark.parametrize(
    ("fields", "extra", "status"),
    [
        ({}, {}, 200),
        ({"answer": "mars"}, {}, 422),
        ({"answer": 7}, {}, 422),
        ({"surprise": 1}, {}, 422),
        ({"action": "approve"}, {}, 422),
        ({"review_digest": "0" * 64}, {}, 409),
        ({}, {"If-Match": '"0"'}, 412),
        ({}, {"If-Match": "weak"}, 422),
    ],
)  # fmt: skip
def test_both_ways_decide_and_refuse_alike(served, fields, extra, status):
    short = decide(served, asked(served), extra, **fields)
    ordinary = decide(served, asked(served), extra | ORDINARY, **fields)
    assert short.status_code == status
    assert told(short) == told(ordinary)


def test_the_same_again_is_a_replay_and_another_comes_too_late_on_both_ways(served):
    stop = asked(served)
    first = decide(served, stop, {})
    for headers in ({}, ORDINARY):
        assert decide(served, stop, headers).json() == first.json()
        late = decide(served, stop, headers, answer="us")
        assert (late.status_code, late.json()["code"]) == (409, "already_answered")


def test_a_runtime_never_decides_on_either_way(served):
    stop = asked(served)
    choice = {"action": "answer", "answer": "eu", "review_digest": stop["review_digest"]}
    served.runtime.get("processes?limit=1")
    for headers in ({}, ORDINARY):
        reply = served.runtime.post(
            f"suspensions/{stop['id']}/decision", json=choice, headers=headers
        )
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


def test_an_unknown_suspension_is_404_on_both_ways(served):
    stop = asked(served) | {"id": "susp_00000000-0000-7000-8000-000000000000"}
    for headers in ({}, ORDINARY):
        assert decide(served, stop, headers).status_code == 404
