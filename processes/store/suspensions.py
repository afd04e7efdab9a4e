"""Suspensions and decisions in the transaction of a service."""

from __future__ import annotations

import json
from typing import Any

from processes.journal.canonical import step_key
from processes.journal.commands import Choice, Suspend
from processes.journal.errors import ProcessNotFound
from processes.models import Artifact, Decision, Suspension
from processes.store.log import digest
from processes.store.rows import Row


def new(row: Row, id: str, command: Suspend, held: bool, at_ms: int) -> Suspension:
    proposed = command.proposed_action
    return Suspension.objects.create(
        id=id,
        process_id=row.head.id,
        reason=command.reason,
        question=command.question,
        detail=command.detail,
        ask_key=command.ask_key,
        hold=command.hold,
        options_json=None
        if command.options is None
        else json.dumps(command.options, ensure_ascii=False),
        proposed_tool=proposed.tool if proposed else None,
        proposed_args=proposed.args if proposed else None,
        held=held,
        after_step=row.host.stored_steps,
        opened_at_ms=at_ms,
    )


def is_same(stop: Suspension, command: Suspend) -> bool:
    """The same stop sent again: everything a person sees is equal."""
    proposed = command.proposed_action
    return (
        stop.reason, stop.question, stop.detail, stop.hold, stop.options, stop.proposed_action,
    ) == (
        command.reason, command.question, command.detail, command.hold, command.options,
        {"tool": proposed.tool, "args": proposed.args} if proposed else None,
    )  # fmt: skip


def get(suspension_id: str, agent: str | None) -> Suspension:
    """Raises ProcessNotFound, also for another agent's suspension."""
    found = Suspension.objects.visible_to(agent).filter(id=suspension_id).first()
    if found is None:
        raise ProcessNotFound("There is no such suspension, or it is not yours.")
    return found


def by_ask_key(process_id: str, ask_key: str) -> Suspension | None:
    return Suspension.objects.of(process_id).filter(ask_key=ask_key).first()


def latest(process_id: str) -> Suspension | None:
    return Suspension.objects.of(process_id).newest_first().first()


def live_decision(suspension_id: str | None) -> Decision | None:
    if suspension_id is None:
        return None
    return Decision.objects.filter(suspension_id=suspension_id, live=True).first()


def mark(stop: Suspension, status: str, **fields: Any) -> None:
    """Move the suspension on, as a compare-and-set on the status it was read with."""
    changed = Suspension.objects.filter(id=stop.id, status=stop.status).update(
        status=status, **fields
    )
    if changed != 1:
        raise RuntimeError(f"The suspension {stop.id} moved under its lock.")
    stop.status = status
    for name, value in fields.items():
        setattr(stop, name, value)


def add_decision(id: str, stop: Suspension, choice: Choice, by: str, at_ms: int) -> Decision:
    return Decision.objects.create(
        id=id,
        suspension_id=stop.id,
        action=choice.action,
        answer=choice.answer,
        args=choice.args,
        note=choice.note,
        review_digest=choice.review_digest,
        step_key=_decided_key(stop, choice),
        by=by,
        at_ms=at_ms,
    )


def _decided_key(stop: Suspension, choice: Choice) -> str | None:
    """The key of the call a person approved, edited or denied."""
    if stop.proposed_tool is None or choice.action not in {"approve", "edit", "deny"}:
        return None
    return step_key(stop.proposed_tool, choice.args or stop.proposed_args or "")


def review_digest(stop: Suspension) -> str:
    """64 hex: a hash of exactly what a person is shown, and of nothing a bystander changes
    (architecture §3.6).
    """
    artifacts = Artifact.objects.filter(process_id=stop.process_id).order_by("path")
    shown = {
        "suspension": stop.id,
        "reason": stop.reason,
        "question": stop.question,
        "detail": stop.detail,
        "options": stop.options,
        "proposed_action": stop.proposed_action,
        "artifacts": [list(pair) for pair in artifacts.values_list("path", "sha256")],
    }
    return digest(shown)
