"""Artifacts over REST: bytes kept whole under a safe path, always handed out as attachments."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings

from processes.journal import limits
from processes.models import Artifact
from tests.processes.api.callers import code, everything


@pytest.fixture
def made(runtime):
    return runtime.open()["id"]


def folder(process_id):
    return Path(settings.DATA_DIR) / "artifacts" / process_id


def test_bytes_come_back_as_they_were_sent(runtime, mia, made):
    content = bytes(range(256)) * 1000
    reply = runtime.put(f"processes/{made}/artifacts/out/report.md", content)
    kept = reply.json()
    assert reply.status_code == 201
    assert (kept["path"], kept["size"]) == ("out/report.md", 256_000)
    assert kept["sha256"] == sha256(content).hexdigest()
    got = mia.get(f"processes/{made}/artifacts/out/report.md")
    assert b"".join(got.streaming_content) == content
    assert got["ETag"] == f'"{kept["sha256"]}"'
    assert mia.get(f"processes/{made}/artifacts").json()["results"] == [kept]


def test_the_same_bytes_again_change_nothing_and_others_replace_them(runtime, made):
    path = f"processes/{made}/artifacts/a.txt"
    runtime.put(path, b"one")
    before = everything()
    assert runtime.put(path, b"one").status_code == 200
    assert everything() == before
    assert runtime.put(path, b"two").status_code == 201
    assert b"".join(runtime.get(path).streaming_content) == b"two"
    assert Artifact.objects.filter(process_id=made).count() == 1
    assert runtime.put(f"processes/{made}/artifacts/empty", b"").json()["size"] == 0


@pytest.mark.parametrize("name", ["x.html", "x.svg", "x.pdf", "a.js", 'a";x=1.txt', "é 名.txt"])
def test_an_artifact_is_never_shown_in_a_browser(runtime, mia, made, name):
    path = f"processes/{made}/artifacts/{quote(name)}"
    assert runtime.put(path, b"<script>alert(1)</script>").status_code == 201
    got = mia.get(path)
    assert got["Content-Type"] == "application/octet-stream"
    assert got["Content-Disposition"] == f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    assert got["X-Content-Type-Options"] == "nosniff"
    assert got["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert got["X-Frame-Options"] == "DENY"
    assert got["Cache-Control"] == "no-store, private"
    assert b"".join(got) == b"<script>alert(1)</script>"


UNSAFE = [
    "../x", "a/../b", "..", "a/..", ".", "./a", "a//b", "a/", "/etc/passwd", "//h/s", "~/x",
    "a\\b", "..\\x", "C:/x", "file:///x", "a\0b", "a\x1bb", "a\x7f", "x ", " x", "x.", "a /b",
    "NUL", "con.txt", "a/COM1", "lpt9.log", "x" * 513,
]  # fmt: skip


@pytest.mark.parametrize("path", UNSAFE, ids=ascii)
def test_an_unsafe_path_is_refused_and_nothing_is_written(runtime, made, path):
    before = everything()
    reply = runtime.put(f"processes/{made}/artifacts/{quote(path, safe='')}", b"x")
    assert code(reply) == (422, "invalid_artifact_path")
    got = runtime.get(f"processes/{made}/artifacts/{quote(path, safe='')}")
    assert code(got) == (404, "artifact_not_found")
    assert everything() == before
    assert not folder(made).exists()


def test_a_path_with_a_newline_is_no_address(runtime, made):
    for path in ("a%0Ab", "a%0A", "%0A"):
        assert runtime.put(f"processes/{made}/artifacts/{path}", b"x").status_code in {404, 422}
    assert not Artifact.objects.exists()


def test_an_encoded_escape_leads_nowhere(runtime, made):
    for path in ("..%2f..%2fdalhc.sqlite3", "%2e%2e/%2e%2e/secret.key", "..%252fx"):
        assert runtime.get(f"processes/{made}/artifacts/{path}").status_code == 404


def test_a_link_put_in_the_place_of_the_bytes_is_not_followed(runtime, made, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    kept = runtime.put(f"processes/{made}/artifacts/a", b"x").json()
    place = folder(made) / kept["sha256"]
    place.unlink()
    place.symlink_to(secret)
    assert code(runtime.get(f"processes/{made}/artifacts/a")) == (404, "artifact_not_found")
    place.unlink()
    assert code(runtime.get(f"processes/{made}/artifacts/a")) == (404, "artifact_not_found")


def test_one_byte_too_many_is_refused_and_leaves_no_file(runtime, made, monkeypatch):
    monkeypatch.setattr(limits, "ARTIFACT_BYTES", 100_000)
    path = f"processes/{made}/artifacts/a"
    assert code(runtime.put(path, b"x" * 100_001)) == (413, "artifact_too_large")
    assert list(folder(made).iterdir()) == []
    assert runtime.put(path, b"x" * 100_000).status_code == 201


def test_a_process_keeps_so_many_and_no_more(runtime, made, monkeypatch):
    monkeypatch.setattr(limits, "ARTIFACTS_PER_PROCESS", 2)
    for name in "ab":
        runtime.put(f"processes/{made}/artifacts/{name}", b"x")
    refused = runtime.put(f"processes/{made}/artifacts/c", b"x")
    assert code(refused) == (409, "too_many_artifacts")
    assert runtime.put(f"processes/{made}/artifacts/a", b"y").status_code == 201


def test_files_are_for_their_owner_alone(runtime, made):
    kept = runtime.put(f"processes/{made}/artifacts/a", b"x").json()
    assert folder(made).stat().st_mode & 0o777 == 0o700
    assert (folder(made) / kept["sha256"]).stat().st_mode & 0o777 == 0o600


def test_an_ended_process_takes_no_more(runtime, made):
    runtime.post(f"processes/{made}/complete")
    refused = runtime.put(f"processes/{made}/artifacts/a", b"x")
    assert code(refused) == (409, "process_terminal")
    assert not folder(made).exists()


@pytest.mark.parametrize("query", ["lease_epoch=x", "lease_epoch=-1", "inline=1"])
def test_an_odd_parameter_is_refused(runtime, made, query):
    refused = runtime.put(f"processes/{made}/artifacts/a?{query}", b"x")
    assert code(refused) == (422, "invalid_request")
    assert not Artifact.objects.exists()


def test_an_artifact_changes_what_a_person_decides_on(runtime, mia, made):
    runtime.put(f"processes/{made}/artifacts/plan.txt", b"harmless")
    stop = runtime.ask(made, reason="guard")
    runtime.put(f"processes/{made}/artifacts/plan.txt", b"rm -rf /")
    assert code(mia.decide(stop, "approve")) == (409, "stale_review")
    assert mia.get(f"suspensions/{stop['id']}").json()["status"] == "open"
