"""Artifacts have room, and no more than that."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.conf import settings

from processes import services
from processes.models import Artifact
from processes.services import quota
from processes.services.artifact_bytes import ArtifactQuota
from tests.making import Made, make_process

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(quota, "SECONDS", 0)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch):
    def to(*, process: int = 0, server: int = 0) -> None:
        monkeypatch.setattr(settings.ENVIRONMENT, "artifacts_mib_per_process", process)
        monkeypatch.setattr(settings.ENVIRONMENT, "artifacts_mib", server)

    return to


def put(made: Made, path: str, size: int) -> None:
    services.put_artifact(made.id, path, io.BytesIO(b"x" * size), by=made.by)


def test_a_process_has_its_room(limits):
    limits(process=1)
    made, other = make_process(running=True), make_process(running=True)
    put(made, "a", MIB - 10)
    with pytest.raises(ArtifactQuota):
        put(made, "b", 11)
    put(made, "b", 10)
    put(other, "a", MIB)
    assert Artifact.objects.count() == 3


def test_what_is_replaced_makes_room(limits):
    limits(process=1)
    made = make_process(running=True)
    put(made, "a", MIB)
    put(made, "a", MIB - 1)
    assert Artifact.objects.get().size == MIB - 1


def test_the_server_has_its_room_too(limits):
    limits(server=1)
    made, other = make_process(running=True), make_process(running=True)
    put(made, "a", MIB - 5)
    with pytest.raises(ArtifactQuota):
        put(other, "a", 6)
    put(other, "a", 5)


def test_a_refused_one_leaves_no_bytes(limits, tmp_path):
    limits(process=1)
    made = make_process(running=True)
    with pytest.raises(ArtifactQuota):
        put(made, "a", MIB + 1)
    assert [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()] == []


def test_no_limit_is_none(limits):
    limits()
    assert quota.room("x", "a") == quota.NO_LIMIT
