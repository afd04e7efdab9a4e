"""Bytes are on the disk while a row names them, and no longer; nothing else is ever opened."""

from __future__ import annotations

import io
import os
import threading
import time
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings

from dalhc.db.refusals import Busy
from processes import services
from processes.models import Artifact
from processes.services import artifact_bytes, quota
from processes.services.artifact_bytes import ArtifactQuota
from processes.services.artifacts import ArtifactNotFound, name_artifact
from tests.making import Made, make_process, principal_actor

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)


@pytest.fixture
def made() -> Made:
    return make_process(running=True)


def put(made: Made, path: str, content: bytes) -> None:
    services.put_artifact(made.id, path, io.BytesIO(content), by=made.by)


def read(made: Made, path: str) -> bytes:
    file, _ = services.open_artifact(made.id, path, principal_actor())
    with file:
        return file.read()


def on_disk(made: Made) -> set[str]:
    return {path.name for path in artifact_bytes.folder(made.id).iterdir()}


def hashes(*contents: bytes) -> set[str]:
    return {sha256(content).hexdigest() for content in contents}


def test_what_is_replaced_leaves_the_disk(made: Made) -> None:
    for number in range(20):
        put(made, "progress.txt", b"%d" % number)
    assert on_disk(made) == hashes(b"19")
    assert read(made, "progress.txt") == b"19"


def test_bytes_that_another_path_names_stay(made: Made) -> None:
    put(made, "a", b"same")
    put(made, "b", b"same")
    put(made, "a", b"other")
    assert on_disk(made) == hashes(b"same", b"other")
    assert (read(made, "a"), read(made, "b")) == (b"other", b"same")


def test_bytes_of_another_process_stay(made: Made) -> None:
    beside = make_process(running=True)
    put(made, "a", b"same")
    put(beside, "a", b"same")
    put(made, "a", b"other")
    assert read(beside, "a") == b"same"


def test_what_is_refused_when_it_gets_its_name_leaves_the_disk(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room was there when the bytes came, and is gone when they are whole."""
    put(made, "a", b"kept")
    rooms = iter([quota.NO_LIMIT, 0])
    monkeypatch.setattr(quota, "room", lambda *_: next(rooms))
    with pytest.raises(ArtifactQuota):
        put(made, "b", b"refused")
    assert on_disk(made) == hashes(b"kept")


def test_nothing_is_removed_while_a_backup_is_made_and_the_next_one_takes_it(
    made: Made,
) -> None:
    put(made, "a", b"one")
    with artifact_bytes.all_kept():
        put(made, "a", b"two")
        assert on_disk(made) == hashes(b"one", b"two")
    _age(made)
    put(made, "a", b"three")
    assert on_disk(made) == hashes(b"three")


def test_what_a_killed_upload_left_goes_and_one_under_way_stays(made: Made) -> None:
    put(made, "a", b"one")
    folder = artifact_bytes.folder(made.id)
    (folder / "part.left").write_bytes(b"half")
    _age(made)
    (folder / "part.new").write_bytes(b"half")
    put(made, "a", b"two")
    assert on_disk(made) == hashes(b"two") | {"part.new"}


def _age(made: Made) -> None:
    long_ago = time.time() - artifact_bytes.UNNAMED_SECONDS - 1
    for path in artifact_bytes.folder(made.id).iterdir():
        os.utime(path, (long_ago, long_ago))


def test_bytes_that_went_meanwhile_get_no_name(made: Made) -> None:
    with pytest.raises(Busy):
        name_artifact(made.id, "a", "0" * 64, 3, None, by=made.by)
    assert not Artifact.objects.exists()


def _pipe(place: Path, _secret: Path) -> None:
    os.mkfifo(place)


def _folder(place: Path, _secret: Path) -> None:
    place.mkdir()


def _endless(place: Path, _secret: Path) -> None:
    place.symlink_to("/dev/zero")


def _link(place: Path, secret: Path) -> None:
    place.symlink_to(secret)


def _hard_link(place: Path, secret: Path) -> None:
    place.hardlink_to(secret)


def _cut(place: Path, _secret: Path) -> None:
    place.write_bytes(b"m")


@pytest.mark.parametrize("put_there", [_pipe, _folder, _endless, _link, _hard_link, _cut])
def test_only_a_regular_file_of_its_size_is_opened(
    made: Made, tmp_path: Path, put_there: object
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"a secret of the host")
    put(made, "a", b"mine")
    [name] = on_disk(made)
    place = artifact_bytes.folder(made.id) / name
    place.unlink()
    assert callable(put_there)
    put_there(place, secret)
    with pytest.raises(ArtifactNotFound):
        services.open_artifact(made.id, "a", principal_actor())


def test_a_link_in_the_place_of_the_folder_is_not_followed(made: Made, tmp_path: Path) -> None:
    put(made, "a", b"mine")
    folder, elsewhere = artifact_bytes.folder(made.id), tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(ArtifactNotFound):
        services.open_artifact(made.id, "a", principal_actor())
    with pytest.raises(OSError, match=folder.name):
        put(made, "b", b"more")
    assert len(list(elsewhere.iterdir())) == 1


def test_a_link_swapped_in_a_thousand_times_never_shows_what_it_points_to(
    made: Made, tmp_path: Path
) -> None:
    put(made, "a", b"mine")
    secret = tmp_path / "secret"
    secret.write_bytes(b"NOT!")  # of the same size
    [name] = on_disk(made)
    place = artifact_bytes.folder(made.id) / name
    good, link = tmp_path / "good", tmp_path / "link"
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            link.symlink_to(secret)
            link.rename(place)
            good.write_bytes(b"mine")
            good.rename(place)

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: list[bytes] = []
    try:
        for _ in range(1_000):
            try:
                with artifact_bytes.opened(made.id, name, 4) as file:
                    seen.append(file.read())
            except OSError:
                seen.append(b"")
    finally:
        ended.set()
        swapping.join()
    assert set(seen) == {b"mine", b""}  # it was met both ways


def test_what_goes_elsewhere_waits_for_a_backup():
    gone = threading.Event()

    def go() -> None:
        with artifact_bytes.moving():
            gone.set()

    with artifact_bytes.all_kept():
        going = threading.Thread(target=go)
        going.start()
        assert not gone.wait(0.3)
    assert gone.wait(10)
    going.join()
