"""Suspensions and decisions in the transaction of a service."""

from __future__ import annotations

import json
from typing import Any

from dalhc.db import sql
from processes.answering import schema
from processes.journal.canonical import step_key
from processes.journal.commands import Choice, Suspend
from processes.journal.errors import ProcessNotFound
from processes.journal.timing import rank
from processes.models import Decision, Suspension
from processes.store import attention, raw
from processes.store.log import digest
from processes.store.rows import Row


def new(
    row: Row, id: str, command: Suspend, held: bool, at_ms: int, owner: str = ""
) -> Suspension:
    proposed = command.proposed_action
    stop = Suspension(
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
        response_schema=_schema_of(command),
        strict=command.strict,
        proposed_tool=proposed.tool if proposed else None,
        proposed_args=proposed.args if proposed else None,
        held=held,
        after_step=row.host.stored_steps,
        opened_at_ms=at_ms,
        agent=row.host.agent,
        owner=owner or None,
        rank=rank(command.expires_at, command.on_timeout, command.priority, at_ms),
        priority=command.priority,
        due_at_ms=command.due_at,
        expires_at_ms=command.expires_at,
        on_timeout=command.on_timeout,
        default_answer=command.default_answer,
    )
    attention.assign(stop, command.assignees)
    raw.insert(stop)
    attention.name_assignees(stop)
    return stop


def is_same(stop: Suspension, command: Suspend) -> bool:
    """The same stop sent again: everything a person decides about is equal. A runtime that
    starts again counts its times anew; those that were said first hold.
    """
    proposed = command.proposed_action
    return (
        stop.reason, stop.question, stop.detail, stop.hold, stop.options, stop.proposed_action,
        stop.response_schema, stop.strict, stop.on_timeout, stop.default_answer,
    ) == (
        command.reason, command.question, command.detail, command.hold, command.options,
        {"tool": proposed.tool, "args": proposed.args} if proposed else None,
        _schema_of(command), command.strict, command.on_timeout, command.default_answer,
    )  # fmt: skip


def _schema_of(command: Suspend) -> str | None:
    return None if command.response_schema is None else schema.stored(command.response_schema)


def get(suspension_id: str, agent: str | None) -> Suspension:
    """Raises ProcessNotFound, also for another agent's suspension."""
    if agent is None:
        found = raw.first(Suspension, "WHERE t.id = %s", suspension_id)
    else:
        found = raw.first(Suspension, _OF_AGENT, suspension_id, agent)
    if found is None:
        raise ProcessNotFound("There is no such suspension, or it is not yours.")
    return found


_OF_AGENT = "JOIN processes_process p ON p.id = t.process_id WHERE t.id = %s AND p.agent = %s"


def by_ask_key(process_id: str, ask_key: str) -> Suspension | None:
    return raw.first(
        Suspension, "WHERE t.process_id = %s AND t.ask_key = %s", process_id, ask_key
    )


def latest(process_id: str) -> Suspension | None:
    newest = "WHERE t.process_id = %s ORDER BY t.opened_at_ms DESC, t.id DESC LIMIT 1"
    return raw.first(Suspension, newest, process_id)


def live_decision(suspension_id: str | None) -> Decision | None:
    if suspension_id is None:
        return None
    return raw.first(Decision, "WHERE t.suspension_id = %s AND t.live", suspension_id)


def mark(stop: Suspension, status: str, **fields: Any) -> None:
    """Move the suspension on, as a compare-and-set on the status it was read with."""
    if not raw.update(Suspension, stop.id, {"status": stop.status}, status=status, **fields):
        raise RuntimeError(f"The suspension {stop.id} moved under its lock.")
    stop.status = status
    for name, value in fields.items():
        setattr(stop, name, value)


def add_decision(id: str, stop: Suspension, choice: Choice, by: str, at_ms: int) -> Decision:
    decision = Decision(
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
    raw.insert(decision)
    return decision


def decision_hash(decision: Decision) -> str:
    """64 hex over what was decided. The event holds this and not the words: a runtime reads
    events, but only `resume` hands the decision over (architecture §3.1).
    """
    return digest({name: getattr(decision, name) for name in DECIDED})


DECIDED = ("id", "suspension_id", "action", "answer", "args", "note", "by", "at_ms")


def _decided_key(stop: Suspension, choice: Choice) -> str | None:
    """The key of the call a person approved, edited or denied."""
    if stop.proposed_tool is None or choice.action not in {"approve", "edit", "deny"}:
        return None
    args = stop.proposed_args if choice.args is None else choice.args
    return step_key(stop.proposed_tool, args or "")


def review_digest(stop: Suspension) -> str:
    """64 hex: a hash of exactly what a person is shown, and of nothing a bystander changes
    (architecture §3.6).
    """
    artifacts = [list(pair) for pair in sql.rows(_ARTIFACTS, (stop.process_id,))]
    shown = {
        "suspension": stop.id,
        "reason": stop.reason,
        "question": stop.question,
        "detail": stop.detail,
        "options": stop.options,
        "response_schema": stop.response_schema,
        "proposed_action": stop.proposed_action,
        "strict": stop.strict,
        "artifacts": artifacts,
    }
    return digest(shown)


_ARTIFACTS = "SELECT path, sha256 FROM processes_artifact WHERE process_id = %s ORDER BY path"
