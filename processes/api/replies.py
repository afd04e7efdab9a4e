"""What the API says: the record's names, and beside them what the host knows (api.md)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from processes import policy
from processes.journal.record import ProcessHead
from processes.models import Artifact, Decision, Event, Process, Step, Suspension, Turn
from processes.services import Appended, Row, allowed_actions, approvals, review_digest
from processes.services.actors import Actor
from processes.services.reading import Next, head_action, live_decision, standing_of


def when(at_ms: int | None) -> str | None:
    """RFC 3339, UTC, with Z."""
    if at_ms is None:
        return None
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_HEAD_NAMES = tuple(ProcessHead.model_fields)


def head(row: Row) -> dict[str, Any]:
    """A HeadReply of a row that a service gave back."""
    fields = {name: getattr(row.head, name) for name in _HEAD_NAMES}
    host = row.host
    return fields | {
        "agent": host.agent,
        "origin": host.origin,
        "revision": host.revision,
        "next_action": head_action(row.head, host.decided),
        "held": host.held and not host.decided,
        "decided": host.decided,
        "suspension": host.suspension_id,
        "outcome": host.outcome,
        "turns_dropped": host.turns_dropped,
        "lease_epoch": host.lease_epoch,
    }


def process(found: Process) -> dict[str, Any]:
    """A HeadReply of a model, for lists."""
    fields = {name: getattr(found, name) for name in _HEAD_NAMES}
    return fields | {
        "agent": found.agent,
        "origin": found.origin,
        "revision": found.revision,
        "next_action": head_action(ProcessHead.model_validate(found), found.decided),
        "held": found.held and not found.decided,
        "decided": found.decided,
        "suspension": found.suspension_id,
        "outcome": found.outcome,
        "turns_dropped": found.turns_dropped,
        "lease_epoch": found.lease_epoch,
    }


def step(
    fields: dict[str, Any], *, skipped: bool = False, revision: int | None = None
) -> dict[str, Any]:
    """A StepReply of the store's fields."""
    artifacts = fields["artifacts_json"]
    body = {
        "seq": fields["seq"],
        "tool": fields["tool"],
        "args": fields["args"],
        "success": fields["success"],
        "result_digest": fields["result_digest"],
        "artifacts": [] if artifacts == "[]" else json.loads(artifacts),
        "idempotency_key": fields["idempotency_key"],
        "attempt_id": fields["attempt_id"],
        "effect": fields["effect"],
        "digest_clipped": fields["digest_clipped"],
        "artifacts_dropped": fields["artifacts_dropped"],
        "at": when(fields["at_ms"]),
        "skips": fields["skips"],
        "skipped": skipped,
    }
    return body if revision is None else body | {"revision": revision}


def appended(result: Appended, revision: int | None = None) -> dict[str, Any]:
    return step(result.step, skipped=result.skipped, revision=revision)


def stored_step(found: Step) -> dict[str, Any]:
    return step(vars(found))


def turn(found: Turn) -> dict[str, Any]:
    return {
        "seq": found.seq,
        "role": found.role,
        "content": found.content,
        "by": found.by,
        "suspension": found.suspension_id,
        "at": when(found.at_ms),
    }


def event(found: Event) -> dict[str, Any]:
    names = ("seq", "kind", "actor", "at_ms", "prev_hash", "hash")
    return {name: getattr(found, name) for name in names} | {"data": json.loads(found.data)}


def decision(found: Decision | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = ("id", "action", "answer", "args", "note", "by")
    return {name: getattr(found, name) for name in names} | {"at": when(found.at_ms)}


def suspension(found: Suspension, by: Actor) -> dict[str, Any]:
    """A SuspensionReply as `by` may see it: a runtime sees the decision only once it is
    delivered.
    """
    over = "" if found.status == "open" else "This is no longer waiting."
    refusal = policy.why_not(by) or over or policy.why_nothing(by, found)
    process = standing_of(found)
    shown = live_decision(found) if by.kind != "runtime" or found.delivered_at_ms else None
    return {
        "id": found.id,
        "process_id": found.process_id,
        "agent": process.agent,
        "objective": process.objective,
        "reason": found.reason,
        "question": found.question,
        "detail": found.detail,
        "options": found.options,
        "response_schema": _schema(found),
        "proposed_action": found.proposed_action,
        "strict": found.strict,
        "held": found.held,
        "status": found.status,
        "opened_at": when(found.opened_at_ms),
        "revision": process.revision,
        "review_digest": review_digest(found),
        **attention(found),
        "actions": list(policy.offered(by, found) or allowed_actions(found)),
        "can_decide": not refusal,
        "why_not": refusal or None,
        "delivered_at": when(found.delivered_at_ms),
        "used_step": found.used_step,
        "ran": found.ran,
        "nack_error": found.nack_error,
        "decision": decision(shown),
    }


def _schema(found: Suspension) -> dict[str, Any] | None:
    text = found.response_schema
    return None if text is None else json.loads(text)


def attention(found: Suspension) -> dict[str, Any]:
    """Until when it waits, whom it is meant for, and who is on it."""
    return {
        "due_at": when(found.due_at_ms),
        "expires_at": when(found.expires_at_ms),
        "on_timeout": found.on_timeout,
        "default_answer": found.default_answer,
        "priority": found.priority,
        "assignees": list(found.assignees),
        "holder": found.holder,
        "claimed_at": when(found.claimed_at_ms),
        "snoozed_until": when(found.snoozed_until_ms),
        "approvals": approvals(found),
    }


def next_step(found: Next) -> dict[str, Any]:
    return {
        "next_action": found.next_action,
        "held": found.held,
        "decided": found.decided,
        "suspension": found.suspension_id,
        "revision": found.revision,
    }


def lease(row: Row) -> dict[str, Any]:
    return {
        "process_id": row.head.id,
        "lease_epoch": row.host.lease_epoch,
        "owner": row.host.lease_owner,
        "lease_until": when(row.host.lease_until_ms),
        "revision": row.host.revision,
    }


def artifact(found: Artifact) -> dict[str, Any]:
    names = ("process_id", "path", "sha256", "size")
    return {name: getattr(found, name) for name in names} | {"at": when(found.at_ms)}
