"""Replies are JSON, refusals problem JSON, and a failure of ours tells nothing."""

from __future__ import annotations

import pytest

from tests.processes.api.callers import JSON, PROBLEM, Caller, code


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("text/html", 406), ("text/html;q=0.9, image/png", 406), ("application/xml", 406),
        ("*/*", 200), (JSON, 200), ("application/*", 200), ("text/html, */*;q=0.1", 200),
        (PROBLEM, 200), ("", 200),
    ],
)  # fmt: skip
def test_whoever_insists_on_html_is_told_that_there_is_none(runs, accept, status):
    reply = runs.get("processes", Accept=accept)
    assert reply.status_code == status
    assert reply["Content-Type"] in {JSON, PROBLEM}


def test_what_nobody_foresaw_is_a_500_that_tells_nothing(runs, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr("processes.services.complete", fails)
    reply = runs.post("processes/runs/complete", {}, X_Request_Id="job-12345")
    assert code(reply) == (500, "internal")
    assert reply.json()["request_id"] == "job-12345"
    assert b"secret" not in reply.content and b"Traceback" not in reply.content


def test_a_refusal_without_a_key_comes_before_all_else(db):
    for path, body in (("processes", b"{"), ("processes/none", b""), ("suspensions?x=1", b"")):
        assert Caller().send("POST" if body else "GET", path, body).status_code == 401
