"""Artifacts: bytes streamed to disk under their hash, named by the agent's path in the
database (T14, T15).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from django.conf import settings

from dalhc import folders
from dalhc.clock import now_ms
from dalhc.problems import Problem
from processes.journal import errors, fence, limits, paths, rules
from processes.journal.record import TERMINAL
from processes.models import Artifact
from processes.models.artifact import extension_of
from processes.services import quota
from processes.services.actors import Actor, require_writer
from processes.services.verb import Unchanged, Verb, tell
from processes.store import rows

CHUNK = 64 * 1024


class Readable(Protocol):
    """A request, a file: whatever gives bytes."""

    def read(self, size: int, /) -> bytes: ...


class ArtifactNotFound(Problem):
    """There is no such artifact."""


class ArtifactTooLarge(Problem):
    """An artifact has at most 32 MiB."""


class ArtifactQuota(Problem):
    """There is no room for more artifacts of this process, or of this server."""


class TooManyArtifacts(Problem):
    """A process keeps at most 1,000 artifacts."""


def put_artifact(
    process_id: str, path: str, body: Readable, *, lease_epoch: int | None = None, by: Actor
) -> tuple[Artifact, bool]:
    """Keep the bytes, then the row that names them. Returns the artifact and whether anything
    changed.
    """
    require_writer(by)
    paths.artifact_path(path, pointer="")
    row = rows.read(process_id, by)
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    fence.check(row.host.lease_epoch, lease_epoch)
    _require_room(process_id, path)  # before any bytes are kept
    digest, size = _keep_bytes(process_id, body, quota.room(process_id, path))
    return name_artifact(process_id, path, digest, size, lease_epoch, by=by)


@Verb
def name_artifact(
    process_id: str, path: str, digest: str, size: int, lease_epoch: int | None, *, by: Actor
) -> tuple[Artifact, bool]:
    """The row of bytes already on disk; the same bytes under the same path change nothing."""
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, lease_epoch)
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    found = Artifact.objects.filter(process_id=process_id, path=path).first()
    if found is not None and found.sha256 == digest:
        raise Unchanged((found, False))
    _require_room(process_id, path)
    if size > quota.room(process_id, path):  # others have come in the meantime
        raise ArtifactQuota
    now = now_ms()
    defaults = {
        "sha256": digest,
        "size": size,
        "at_ms": now,
        "extension": extension_of(path),
        "after_step": row.host.stored_steps,
    }
    kept, _ = Artifact.objects.update_or_create(
        process_id=process_id,
        path=path,
        defaults=defaults,
    )
    data = {"path": path, "sha256": digest, "size": size}
    rows.keep(row, rules.Change(row.head), "artifact", str(by), data, now)
    tell(process_id)
    return kept, True


def _require_room(process_id: str, path: str) -> None:
    """A path that is there already may be written again, however many there are."""
    kept = Artifact.objects.filter(process_id=process_id)
    if kept.count() >= limits.ARTIFACTS_PER_PROCESS and not kept.filter(path=path).exists():
        raise TooManyArtifacts


def open_artifact(process_id: str, path: str, by: Actor) -> tuple[BinaryIO, Artifact]:
    """The bytes for reading; nothing but a regular file of our own is ever opened."""
    rows.read(process_id, by)
    found = Artifact.objects.filter(process_id=process_id, path=path.replace("\0", "")).first()
    if found is None or found.path != path:  # PostgreSQL cannot even be asked for a NUL
        raise ArtifactNotFound
    try:
        handle = os.open(_folder(process_id) / found.sha256, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError as error:
        raise ArtifactNotFound("The artifact's bytes are missing on this server.") from error
    return os.fdopen(handle, "rb"), found


def _keep_bytes(process_id: str, body: Readable, room: int) -> tuple[str, int]:
    """Stream to a temporary file beside the target, flush it to disk, rename: whole or not at
    all.
    """
    folder = _folder(process_id)
    folders.make(folder)
    part = folder / f"part.{secrets.token_hex(8)}"
    try:
        digest, size = _copy(body, part, room)
        part.rename(folder / digest)
    finally:
        part.unlink(missing_ok=True)
    folders.flush(folder)
    return digest, size


def _copy(body: Readable, part: Path, room: int) -> tuple[str, int]:
    hasher, size = sha256(), 0
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        for chunk in _chunks(body):
            size += len(chunk)
            if size > limits.ARTIFACT_BYTES:
                raise ArtifactTooLarge
            if size > room:
                raise ArtifactQuota
            hasher.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return hasher.hexdigest(), size


def _chunks(body: Readable) -> Iterator[bytes]:
    while chunk := body.read(CHUNK):
        yield chunk


def _folder(process_id: str) -> Path:
    """Ids are checked and unique ignoring case, so that this stays inside on every disk."""
    return Path(settings.DATA_DIR) / "artifacts" / paths.process_id(process_id)
