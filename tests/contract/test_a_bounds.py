"""The bounds of a step, row by row (contract §5, A25–A33)."""

from __future__ import annotations

import io
import json

import pytest
from django.conf import settings

from processes import services
from processes.journal import errors
from processes.models import Artifact, Step
from tests.making import Made, append, make_process, principal_actor, runtime_actor

pytestmark = pytest.mark.django_db
STEP = {"tool": "run", "args": {"cmd": "ls"}, "success": True}


@pytest.fixture
def made() -> Made:
    return make_process(running=True, id="a")


def post(api, **step):
    return api.post("/processes/a/steps", STEP | step, 201)


def refused(api, status=422, **step) -> str:
    return str(api.code(status, "/processes/a/steps", STEP | step))


@pytest.mark.parametrize(
    ("digest", "kept", "clipped"),
    [
        ("x" * 1_999, 1_999, False), ("x" * 2_000, 2_000, False), ("x" * 2_001, 2_000, True),
        ("x" * 1_999 + "\U0001f600", 2_000, False), ("x" * 2_000 + "\u0301", 2_000, True),
        ("e\u0301" * 1_000, 2_000, False),
    ],
)  # fmt: skip
def test_A25_a_digest_is_clipped_to_2000_characters_and_says_so(
    digest, kept, clipped, made, runtime
):
    told = post(runtime, result_digest=digest)
    assert told["result_digest"] == digest[:kept]
    assert (len(told["result_digest"]), told["digest_clipped"]) == (kept, clipped)


def test_A26_a_clip_never_breaks_a_character(made, runtime):
    told = post(runtime, result_digest="\U0001f600" * 2_500)
    assert told["result_digest"] == "\U0001f600" * 2_000
    assert told["result_digest"].encode().decode() == told["result_digest"]


@pytest.mark.parametrize(("sent", "dropped"), [(32, 0), (33, 1), (64, 32)])
def test_A27_the_first_32_artifacts_are_kept_and_the_drop_is_reported(
    sent, dropped, made, runtime
):
    paths = [f"o/{n}" for n in range(sent)]
    told = post(runtime, artifacts=paths)
    assert (told["artifacts"], told["artifacts_dropped"]) == (paths[:32], dropped)


def _unsafe(path: str, api) -> None:
    assert refused(api, artifacts=["good", path]) == "invalid_artifact_path"
    assert not Step.objects.exists()
    with pytest.raises(errors.InvalidArtifactPath):
        services.put_artifact("a", path, io.BytesIO(b"x"), by=runtime_actor())
    assert not Artifact.objects.exists()


@pytest.mark.parametrize("path", ["/etc/x", "C:/x", "//h/s", "file:///x"])
def test_A28_an_artifact_path_is_relative(path, made, runtime):
    _unsafe(path, runtime)


@pytest.mark.parametrize("path", ["a\\b", "\\\\h\\s", "..\\x"])
def test_A29_an_artifact_path_has_no_backslash(path, made, runtime):
    _unsafe(path, runtime)


@pytest.mark.parametrize("path", ["../x", "a/../b", "..", "a/.."])
def test_A30_an_artifact_path_never_climbs(path, made, runtime):
    _unsafe(path, runtime)


@pytest.mark.parametrize(
    "path", ["", "~/x", "~", "a//b", "a/", "./a", "x" * 513, "a\x07", "NUL", "a. "]
)
def test_A31_an_artifact_path_is_safe_on_every_disk(path, made, runtime):
    _unsafe(path, runtime)


def test_A31_a_symlink_is_never_opened(made, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    kept, _ = services.put_artifact("a", "o.txt", io.BytesIO(b"mine"), by=made.by)
    stored_at = settings.DATA_DIR / "artifacts" / "a" / kept.sha256
    file, _ = services.open_artifact("a", "o.txt", principal_actor())
    with file:
        assert file.read() == b"mine"
    stored_at.unlink()
    stored_at.symlink_to(secret)
    with pytest.raises(services.artifacts.ArtifactNotFound):
        services.open_artifact("a", "o.txt", principal_actor())


def test_A32_progress_is_kept_after_each_step(made, runtime):
    for number in range(1, 6):
        post(runtime, args={"n": number})
        told = json.loads(services.journal_text("a", principal_actor()))
        assert len(told["steps"]) == told["steps_used"] == number
        assert made.columns["revision"] == number + 1


def test_A33_unbounded_output_is_never_stored(made, runtime):
    assert refused(runtime, 413, result_digest="x" * 10_000_000) == "too_large"
    append(made, args="big", result_digest="x" * 10_000_000)
    assert len(Step.objects.get().result_digest) == 2_000
