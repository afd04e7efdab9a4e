"""Which replies are tried again, how long, and what is said when time is up."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate

import httpx2
import pytest

from dalhc.client import DalhcError, Unreachable, retry
from tests.dalhc.client.replay import HEAD, problem, reply, server


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, list[float]()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(retry.time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(retry.time, "sleep", clock.sleep)
    return clock


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status):
    at = server(problem(status, "busy"), reply(HEAD))
    assert at.client().get("p1").id == "p1"
    assert len(at.requests) == 2


@pytest.mark.parametrize(
    "lost",
    [
        httpx2.ConnectError("refused"),
        httpx2.ConnectTimeout("slow"),
        httpx2.ReadError("reset"),
        httpx2.ReadTimeout("silent"),
        httpx2.RemoteProtocolError("Server disconnected without sending a response."),
        httpx2.WriteError("broken pipe"),
    ],
)
def test_a_lost_reply_is_asked_for_again(lost):
    at = server(lost, lost, reply(HEAD))
    assert at.client().get("p1").id == "p1"
    assert len(at.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413, 422, 500])
def test_a_refusal_is_not_repeated(status):
    at = server(problem(status, "some_code"))
    with pytest.raises(DalhcError):
        at.client().get("p1")
    assert len(at.requests) == 1


def test_a_server_that_keeps_nothing_is_not_asked_again():
    at = server(problem(503, "persistence_disabled"))
    with pytest.raises(DalhcError) as caught:
        at.client().open("Tidy up")
    assert caught.value.code == "persistence_disabled"
    assert len(at.requests) == 1


def test_retry_after_is_honoured(clock):
    at = server(problem(503, "busy"), reply(HEAD))
    at.prepared[0] = httpx2.Response(503, headers={"Retry-After": "3"})
    at.client().get("p1")
    assert 3.0 <= clock.slept[0] <= 3.2


def test_retry_after_may_be_a_date(clock, monkeypatch):
    monkeypatch.setattr(retry.time, "time", lambda: 1_700_000_000.0)
    at = server(reply(HEAD))
    at.prepared.insert(
        0, httpx2.Response(503, headers={"Retry-After": formatdate(1_700_000_002, usegmt=True)})
    )
    at.client().get("p1")
    assert 2.0 <= clock.slept[0] <= 2.2


@pytest.mark.parametrize("value", ["soon", "-1", "", "1e9", "９"])
def test_an_unreadable_retry_after_is_no_harm(value, clock):
    at = server(reply(HEAD))
    busy = httpx2.Response(503, headers=[(b"Retry-After", value.encode())])
    at.prepared.insert(0, busy)
    at.client().get("p1")
    assert clock.slept[0] <= 0.2


def test_pauses_grow_and_are_never_the_same_for_all(clock):
    at = server(httpx2.ConnectError("refused"))
    with pytest.raises(Unreachable):
        at.client(patience=60).get("p1")
    assert 0.05 <= clock.slept[0] <= 0.1
    assert clock.slept[4] > clock.slept[0]
    assert max(clock.slept) <= 5.0


def test_patience_bounds_the_time_and_then_says_so(clock):
    at = server(httpx2.ConnectError("refused"))
    with pytest.raises(Unreachable, match="no reply: ConnectError: refused") as caught:
        at.client(patience=10).get("p1")
    assert clock.now - 1000 <= 10
    assert caught.value.status == 0


def test_when_time_is_up_the_last_refusal_is_told():
    at = server(problem(503, "busy", detail="The writer is behind."))
    with pytest.raises(DalhcError, match="The writer is behind") as caught:
        at.client(patience=1).get("p1")
    assert caught.value.code == "busy"


def test_a_wait_longer_than_patience_is_not_waited(clock):
    at = server(httpx2.Response(503, headers={"Retry-After": "600"}))
    with pytest.raises(DalhcError):
        at.client(patience=5).get("p1")
    assert clock.slept == []


def test_no_patience_tries_once():
    at = server(httpx2.ConnectError("refused"))
    with pytest.raises(Unreachable):
        at.client().patient(0).get("p1")
    assert len(at.requests) == 1
