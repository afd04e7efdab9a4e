"""Artifacts: bytes streamed to disk under their hash, named by the agent's path in the
database (T14, T15).
"""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

from dalhc.clock import now_ms
from dalhc.db.refusals import Busy
from dalhc.problems import Problem
from processes.journal import errors, fence, limits, paths, rules
from processes.journal.record import TERMINAL
from processes.models import Artifact
from processes.models.artifact import extension_of
from processes.services import artifact_bytes, quota
from processes.services.actors import Actor, require_writer
from processes.services.artifact_bytes import ArtifactQuota, Readable
from processes.services.verb import Unchanged, Verb, tell
from processes.store import rows


class ArtifactNotFound(Problem):
    """There is no such artifact."""


class TooManyArtifacts(Problem):
    """A process keeps at most 1,000 artifacts."""


class Named(NamedTuple):
    """The row, whether it is new or changed, and the hash it had before (or "")."""

    artifact: Artifact
    changed: bool
    replaced: str


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
    digest, size = artifact_bytes.keep(process_id, body, quota.room(process_id, path))
    try:
        named = name_artifact(process_id, path, digest, size, lease_epoch, by=by)
    except Problem:
        artifact_bytes.drop(process_id, digest)
        raise
    if named.replaced:
        artifact_bytes.drop(process_id, named.replaced)
    return named.artifact, named.changed


@Verb
def name_artifact(
    process_id: str, path: str, digest: str, size: int, lease_epoch: int | None, *, by: Actor
) -> Named:
    """The row of bytes already on disk; the same bytes under the same path change nothing."""
    row = rows.lock(process_id, by)
    fence.check(row.host.lease_epoch, lease_epoch)
    if row.head.state in TERMINAL:
        raise errors.ProcessTerminal
    found = Artifact.objects.filter(process_id=process_id, path=path).first()
    if found is not None and found.sha256 == digest:
        raise Unchanged(Named(found, False, ""))
    _require_room(process_id, path)
    if size > quota.room(process_id, path):  # others have come in the meantime
        raise ArtifactQuota
    if not artifact_bytes.is_kept(process_id, digest):  # it went with what another replaced
        raise Busy(retry_after=1)
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
    return Named(kept, True, found.sha256 if found is not None else "")


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
        return artifact_bytes.opened(process_id, found.sha256, found.size), found
    except OSError as error:
        raise ArtifactNotFound("The artifact's bytes are missing on this server.") from error
