"""Text whose question went away before it was sent: an expiry, another person, an end."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dalhc.http.carrying import WORDS
from processes import services
from processes.answering.fields import fields
from processes.answering.filling import is_blank
from processes.models import Suspension
from processes.services import Actor
from processes.shown.arguments import pretty
from processes.shown.editing import edited, edits, is_sent
from processes.shown.typed import Typed

_GONE = {
    "open": "It is still open",
    "expired": "Its time was over",
    "withdrawn": "The process ended",
    "superseded": "The process went on",
}


@dataclass(frozen=True, slots=True)
class Left:
    """The text, for which question, and what became of that."""

    suspension_id: str
    action: str
    question: str
    text: str
    why: str
    saved_at_ms: int


def left(process_id: str, form_of: str, by: Actor) -> list[Left]:
    """What this reader has typed about it and never sent, but for what stands in the form."""
    return [
        Left(
            stop.id,
            draft.action,
            stop.question or stop.detail or "",
            text,
            _why(stop),
            draft.saved_at_ms,
        )
        for draft in services.left_drafts(process_id, form_of, by=by)
        if (text := words_of(stop := draft.suspension, Typed(json.loads(draft.content))))
    ]


def words_of(stop: Suspension | None, typed: Typed) -> str:
    """What was written: words, and an edit as JSON or a typed answer field by field."""
    written = [typed[name] for name in WORDS if typed.get(name)]
    written += [_fields_of(stop, typed)] if stop else []
    return "\n".join(text for text in written if text)


def _fields_of(stop: Suspension, typed: Typed) -> str:
    lists, call = typed.lists, stop.proposed_args or ""
    if is_sent(call, lists):
        text, faults = edited(call, lists)
        wrong = (f"{one.name}: {one.value}" for one in edits(call, lists) if one.post in faults)
        return "\n".join((pretty(text), *wrong))
    if stop.response_schema is None:
        return ""
    form = fields(stop.response_schema)
    lines = (f"{one.title}: {', '.join(lists.get(one.post, ()))}" for one in form)
    return "" if is_blank(form, lists) else "\n".join(lines)


def _why(stop: Suspension) -> str:
    return _GONE.get(stop.status, "Someone else decided")
