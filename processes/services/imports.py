"""One journal file taken in: whole, or refused with its bytes untouched (contract R22, K07)."""

from __future__ import annotations

import json
from hashlib import sha256

from dalhc.clock import now_ms
from processes.journal import errors, limits
from processes.journal.record import ProcessHead, ProcessRecord
from processes.journal.whole import Whole, load
from processes.journal.writing import Extra
from processes.models import Turn
from processes.models.process import API
from processes.services import arriving, asking
from processes.services.actors import Actor, Forbidden, require_writer
from processes.services.runs import Opened
from processes.services.verb import Verb, tell
from processes.store import files, opening, rows


@Verb
def import_record(body: bytes, *, by: Actor) -> Opened:
    """Take in a journal file as this agent's process; the same bytes again change nothing."""
    _require_agent(by)
    return _taken_in(load(body), sha256(body).hexdigest(), by)


@Verb
def import_whole(whole: Whole, digest: str, *, by: Actor) -> Opened:
    """As `import_record`, of a file that was read by `whole.load`; `digest` is of its bytes."""
    _require_agent(by)
    return _taken_in(whole, digest, by)


def _require_agent(by: Actor) -> None:
    require_writer(by)
    if by.agent is None:
        raise Forbidden("Only a runtime's key imports: it binds the process to its agent.")


def _taken_in(whole: Whole, digest: str, by: Actor) -> Opened:
    record, agent = whole.record, str(by.agent)
    if existing := opening.find(record.id):
        if (
            existing.id == record.id
            and existing.opened_with == digest
            and existing.agent == agent
        ):
            return Opened(record.id, created=False)
        raise errors.ProcessExists(pointer="/id")
    if arriving.waits(record):
        asking.require_room(agent)
    insert(record, whole.extra, digest, agent, str(by), owner=by.owner)
    return Opened(record.id, created=True)


def insert(
    record: ProcessRecord,
    extra: Extra,
    digest: str,
    agent: str,
    actor: str,
    origin: str = API,
    owner: str = "",
) -> None:
    """The rows of a record that is not here yet, in the caller's transaction."""
    head = ProcessHead.model_construct(
        **{name: getattr(record, name) for name in ProcessHead.model_fields}
    )
    turns, dropped = record.turns[-limits.TURNS :], max(0, len(record.turns) - limits.TURNS)
    data = {"file": digest, "steps": len(record.steps), "turns": len(record.turns)}
    row = opening.insert(
        head, agent, "import", actor, data, origin=origin,
        opened_with=digest, extra=json.dumps(extra, ensure_ascii=False),
        stored_steps=len(record.steps), stored_turns=len(record.turns), turns_dropped=dropped,
    )  # fmt: skip
    files.take_in(record.id, record.steps, 1, record.updated_at_ms)
    if turns:
        Turn.objects.bulk_create(
            Turn(
                process_id=record.id,
                seq=seq,
                role=turn.role,
                content=turn.content,
                at_ms=record.updated_at_ms,
            )
            for seq, turn in enumerate(turns, dropped + 1)
        )
    if arriving.waits(record):
        stop = arriving.stop_of(row, record, now_ms(), owner)
        rows.update_host(row, suspension_id=stop.id, held=stop.held)
    tell(record.id, "inbox")
