"""Up, and ready: both without a key, both in a word."""

from __future__ import annotations

import pytest
from django.test import Client

from dalhc.http import health


@pytest.fixture
def http(db):
    return Client()


def test_it_is_up_and_ready(http):
    assert http.get("/healthz").json() == {"status": "ok"}
    reply = http.get("/readyz")
    assert reply.status_code == 200
    assert set(reply.json().values()) == {"ok"}


def test_a_full_disk_is_not_ready_and_says_so(http, monkeypatch):
    monkeypatch.setattr(health, "LOW_DISK", 2**62)
    reply = http.get("/readyz")
    assert (reply.status_code, reply.json()["status"]) == (503, "not ready")
    assert reply.json()["disk"].startswith("only ")
    assert http.get("/healthz").status_code == 200


@pytest.mark.sqlite
def test_an_unsafe_library_is_not_ready(http, monkeypatch):
    found = {"version": "3.40.0", "module": "sqlite3", "safe": False}
    monkeypatch.setattr(health.library, "report", lambda: found)
    reply = http.get("/readyz")
    assert reply.status_code == 503
    assert "3.40.0" in reply.json()["sqlite"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_neither_takes_a_post(http, path):
    assert http.post(path).status_code == 405
    assert http.head(path).status_code == 200
